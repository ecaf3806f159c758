"""A disk that forgets: what was written and not flushed is lost, in part, when the power goes.

Speaks the NBD protocol (newstyle, doc/proto.md of the NBD project) on a Unix socket. Writes stay in a volatile cache until the
guest flushes; `cut` then drops a random part of what is left there, sector by sector, as a disk may. A file system or a
database that acknowledges before it has flushed loses data on this disk and on no kinder one.
"""

import os
import random
import socket
import struct
import threading

SECTOR = 512
MAGIC, OPTION, REPLY = b"NBDMAGIC", b"IHAVEOPT", 0x0003E889045565A9
EXPORT, INFO, GO, LIST, ABORT = 1, 6, 7, 3, 2
# The export has flags, and can flush and write through (FUA).
FLAGS = 0x1 | 0x4 | 0x8
READ, WRITE, DISCONNECT, FLUSH = 0, 1, 2, 3
FUA = 1


class VolatileDisk:
    def __init__(self, path, size, chance):
        self.size, self.chance, self.cache, self.lock = size, chance, {}, threading.Lock()
        self.file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.ftruncate(self.file, size)
        self.lost = 0

    def serve(self, address):
        """Serves one guest after the other until the socket is closed."""
        server = socket.socket(socket.AF_UNIX)
        server.bind(address)
        server.listen(1)
        threading.Thread(target=self.accept, args=(server,), daemon=True).start()
        return server

    def accept(self, server):
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                try:
                    if self.negotiate(connection):
                        self.transmit(connection)
                except (ConnectionError, struct.error):
                    pass

    def cut(self):
        """The power goes: each sector that was not flushed is on the disk or not."""
        with self.lock:
            for sector, content in self.cache.items():
                if self.chance.random() < 0.5:
                    os.pwrite(self.file, content, sector * SECTOR)
                else:
                    self.lost += 1
            self.cache = {}

    def negotiate(self, connection):
        connection.sendall(MAGIC + OPTION + struct.pack(">H", 1))
        take(connection, 4)
        while True:
            _, option, length = struct.unpack(">8sII", take(connection, 16))
            take(connection, length)
            head = struct.pack(">QI", REPLY, option)
            if option == EXPORT:
                connection.sendall(struct.pack(">QH", self.size, FLAGS) + bytes(124))
                return True
            if option in (INFO, GO):
                export = struct.pack(">HQH", 0, self.size, FLAGS)
                connection.sendall(head + struct.pack(">II", 3, len(export)) + export + head + struct.pack(">II", 1, 0))
                if option == GO:
                    return True
            else:
                connection.sendall(head + struct.pack(">II", 0x80000001, 0))
                if option == ABORT:
                    return False

    def transmit(self, connection):
        while True:
            _, flags, kind, handle, offset, length = struct.unpack(">IHHQQI", take(connection, 28))
            if kind == DISCONNECT:
                return
            content, error = b"", 0
            with self.lock:
                if kind == READ:
                    content = self.read(offset, length)
                elif kind == WRITE:
                    self.write(offset, take(connection, length), bool(flags & FUA))
                elif kind == FLUSH:
                    self.flush()
                else:
                    error = 22  # EINVAL
            connection.sendall(struct.pack(">IIQ", 0x67446698, error, handle) + content)

    def read(self, offset, length):
        first, last = offset // SECTOR, (offset + length - 1) // SECTOR
        content = bytearray(os.pread(self.file, (last - first + 1) * SECTOR, first * SECTOR))
        for sector in range(first, last + 1):
            if sector in self.cache:
                content[(sector - first) * SECTOR:(sector - first + 1) * SECTOR] = self.cache[sector]
        return bytes(content[offset - first * SECTOR:][:length])

    def write(self, offset, content, is_through):
        if offset % SECTOR or len(content) % SECTOR:
            raise ConnectionError("a write that is not of whole sectors")
        for place in range(0, len(content), SECTOR):
            sector, part = (offset + place) // SECTOR, content[place:place + SECTOR]
            if is_through:
                self.cache.pop(sector, None)
                os.pwrite(self.file, part, sector * SECTOR)
            else:
                self.cache[sector] = part

    def flush(self):
        for sector, content in self.cache.items():
            os.pwrite(self.file, content, sector * SECTOR)
        self.cache = {}


def take(connection, length):
    content = bytearray()
    while len(content) < length:
        part = connection.recv(length - len(content))
        if not part:
            raise ConnectionError("the guest has gone")
        content += part
    return bytes(content)

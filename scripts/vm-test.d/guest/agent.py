"""Runs in the guest: starts programs for the scenarios outside of it and says what they print.

Usage: agent.py
Its port is the machine's only virtio port.
One JSON object a line in both directions. {"id", "start": [...], "environment", "user"}, {"id", "signal"}, {"id", "input"},
{"id", "end_input"} come in; {"id", "out"}, {"id", "error"}, {"id", "exit"} go out, with "time" in seconds of the guest's clock.
"""

import ctypes
import glob
import json
import os
import struct
import subprocess
import threading
import time


class Agent:
    def __init__(self):
        # Its number is that of the device on the bus; it is made when the other end has told its name.
        while not (paths := glob.glob("/dev/vport*")):
            time.sleep(0.1)
        self.port = os.open(paths[0], os.O_RDWR)
        self.lock, self.processes = threading.Lock(), {}

    def say(self, **message):
        line = json.dumps(dict(message, time=time.monotonic())).encode() + b"\n"
        with self.lock:
            while line:
                line = line[os.write(self.port, line):]

    def serve(self):
        self.say(ready=True)
        rest = b""
        while True:
            data = os.read(self.port, 65536)
            if not data:  # Nobody has the other end open, yet or any more.
                time.sleep(0.1)
                continue
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self.obey(json.loads(line))

    def obey(self, message):
        name = message["id"]
        process = self.processes.get(name)
        if "start" in message:
            self.start(name, message)
        elif process and "signal" in message:
            try:
                # With what it has started, but not with what that has put aside.
                os.killpg(process.pid, message["signal"])
            except ProcessLookupError:
                pass
        elif process and process.stdin:
            try:
                process.stdin.write(message.get("input", ""))
                process.stdin.flush()
                if message.get("end_input"):
                    process.stdin.close()
            except (BrokenPipeError, ValueError):
                pass

    def start(self, name, message):
        user = message.get("user")
        options = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        try:
            process = subprocess.Popen(
                message["start"], env=dict(os.environ, **message.get("environment", {})), stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", cwd="/run",
                start_new_session=True, **options)
        except OSError as error:
            self.say(id=name, error=str(error))
            self.say(id=name, exit=127)
            return
        self.processes[name] = process
        readers = [
            threading.Thread(target=self.tell, args=(name, kind, stream), daemon=True)
            for kind, stream in (("out", process.stdout), ("error", process.stderr))]
        for reader in readers:
            reader.start()
        threading.Thread(target=self.reap, args=(name, process, readers), daemon=True).start()

    def tell(self, name, kind, stream):
        for line in stream:
            self.say(**{"id": name, kind: line.rstrip("\n")})

    def reap(self, name, process, readers):
        status = process.wait()
        # What it left behind may hold its output open for ever.
        for reader in readers:
            reader.join(timeout=2)
        self.processes.pop(name, None)
        self.say(id=name, exit=status)


def vouch_for_clock():
    """Tells the kernel that its clock is right, as a time daemon does: the machine has the host's time.

    Without it the readings of meters that are read by themselves are held, and nobody knows since when a meter is whose."""
    status, maximum_error = 0x0010, 0x0004
    # struct timex: modes, offset, frequency, greatest error, estimated error, status; all else is not set.
    request = ctypes.create_string_buffer(struct.pack("@Ilqqqi", status | maximum_error, 0, 0, 0, 0, 0), 512)
    if ctypes.CDLL(None, use_errno=True).adjtimex(request) < 0:
        print("agent: the clock cannot be vouched for:", os.strerror(ctypes.get_errno()), flush=True)


if __name__ == "__main__":
    vouch_for_clock()
    Agent().serve()

#!/usr/bin/env python3
"""Floods of connections, to the receiver and to the running host's socket: some that say nothing, some that stop in the middle of a
request, some that send without end. While they last an honest program is answered, and afterwards the servers are as before."""

import http.client
import json
import socket
import threading
import time

from bench import TOKEN, Gateway, Part, documents, stop, wait_until

# What a client that was let in is answered in, on a machine that is busy.
PATIENCE = 30


class Flood:
    """Connections that are opened again as soon as they are closed."""

    def __init__(self, connect, count, say):
        self.connect, self.count, self.say = connect, count, say
        self.open, self.ends = [], threading.Event()
        threading.Thread(target=self.keep, daemon=True).start()

    def keep(self):
        while not self.ends.is_set():
            self.open = [each for each in self.open if self.is_open(each)]
            for _ in range(self.count - len(self.open)):
                try:
                    connection = self.connect()
                    connection.setblocking(False)
                    connection.send(self.say)
                    self.open.append(connection)
                except OSError:
                    break
            self.ends.wait(0.2)

    @staticmethod
    def is_open(connection):
        try:
            return connection.recv(4096) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def stop(self):
        self.ends.set()
        for connection in self.open:
            connection.close()


SAYINGS = {
    "silence": b"\n"[:0],
    "half a head": b"POST /connect/provider/data/measurements HTTP/1.1\r\nHost: x\r\nX: ",
    "half a body": b"POST /connect/provider/data/measurements HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                   b"Content-Length: 900000\r\nAuthorization: Bearer " + TOKEN.encode() + b"\r\n\r\n{",
    "requests in a row": b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" * 200,
    "no HTTP": b"\x16\x03\x01" + b"\xff" * 4000,
}


def healthy(url):
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def flood_receiver(part, name):
    gateway = Gateway(part, "receiver-" + name.replace(" ", "-"))
    accounts = gateway.folder / "accounts"
    accounts.write_text(f"clinic:ada:{TOKEN}\n")
    accounts.chmod(0o600)
    process = gateway.start(
        ["receive", "--database", "receiver.sqlite", "--port", "0", "--accounts", str(accounts), "--json"], "listening")
    url = json.loads(process.line)["url"]
    port = int(url.rsplit(":", 1)[1])
    part.check(gateway.begin(url).returncode == 0, f"receiver, {name}: no session")
    flood = Flood(lambda: socket.create_connection(("127.0.0.1", port), timeout=2), 700, SAYINGS[name])
    try:
        wait_until(lambda: len(flood.open) >= 500, 10)
        began = time.monotonic()
        gateway.run(["submit", "record", "-", "--json"], documents([1]))

        def is_delivered():
            return gateway.queue() == [] or gateway.run(["queue", "flush"]).returncode == 0
        is_done = wait_until(is_delivered, PATIENCE)
        waited = time.monotonic() - began
        part.check(len(flood.open) >= 100, f"receiver, {name}: no flood")
        part.check(is_done and waited < PATIENCE, f"receiver, {name}: an honest upload waits for {waited:.0f} s")
    finally:
        flood.stop()
    part.check(wait_until(lambda: healthy(url), PATIENCE), f"receiver, {name}: does not recover")
    gateway.run(["queue", "flush"])
    part.check(gateway.queue() == [], f"receiver, {name}: what waited does not arrive")
    part.check(process.poll() is None, f"receiver, {name}: has ended")
    stop(process, "terminate")


def flood_host(part, name):
    """Its socket is its user's: whoever floods it is a faulty program of theirs."""
    gateway = Gateway(part, "host-" + name.replace(" ", "-"))
    gateway.begin("http://127.0.0.1:1")
    service = gateway.start(["run", "--json"], "running")

    def connect():
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(2)
        connection.connect(str(gateway.state / "control.sock"))
        return connection

    flood = Flood(connect, 300, SAYINGS[name])
    try:
        wait_until(lambda: len(flood.open) >= 200, 10)
        began = time.monotonic()
        done = gateway.run(["submit", "record", "-", "--json"], documents([1]))
        part.check(
            done.returncode in (0, 75) and time.monotonic() - began < 2 * PATIENCE,
            f"host, {name}: a command gets {done.returncode} after {time.monotonic() - began:.0f} s: {done.stderr[-200:]}")
    finally:
        flood.stop()

    def is_there():
        return len(gateway.queue() or []) == 1 or gateway.run(["submit", "record", "-"], documents([1])).returncode == 0
    part.check(wait_until(is_there, PATIENCE), f"host, {name}: does not recover")
    part.check(service.poll() is None, f"host, {name}: has ended with {service.poll()}")
    stop(service, "terminate")


def main():
    part = Part("floods")
    names = ["half a head"] if part.quick else list(SAYINGS)
    part.each(names, lambda name: flood_receiver(part, name), at_once=1)
    part.each(names, lambda name: flood_host(part, name), at_once=1)
    part.end()


if __name__ == "__main__":
    main()

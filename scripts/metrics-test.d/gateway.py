"""A gateway in a folder of its own: a receiver, a running host, and a virtual meter that is read."""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

USER, ORGANIZATION, TOKEN = "secret-user-7", "secret-clinic-7", "metrics-test-token-0123456789abcdef"


def free_port():
    """A port that nobody listens at now."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Gateway:
    """All its programs end with it."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.air = str(self.folder / "air")
        self.environment = {**os.environ, "METERHOST_STATE": str(self.folder / "state"), "METERHOST_AIR": self.air}
        self.running = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.running):
            self.end(process)

    def start(self, *arguments):
        """Starts a command that stays. Returns it with what it has said in its first line."""
        process = subprocess.Popen(
            [self.program, *arguments, "--json"], env=self.environment, stdout=subprocess.PIPE, text=True)
        self.running.append(process)
        line = process.stdout.readline()
        assert line, f"meterhost {arguments[0]} has ended"
        return process, json.loads(line)

    def end(self, process):
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)

    def ask(self, *arguments):
        """Runs a command to its end. Returns its lines of JSON."""
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, f"meterhost {' '.join(arguments)} ends with {done.returncode}: {done.stderr}"
        return [json.loads(line) for line in done.stdout.splitlines()]

    def run(self, *arguments):
        return subprocess.run(
            [self.program, *arguments], env=self.environment, capture_output=True, text=True, timeout=180)

    def receive(self):
        """Starts a receiver with one user, and a session with it."""
        accounts = self.folder / "accounts"
        accounts.write_text(f"{ORGANIZATION}:{USER}:{TOKEN}\n")
        accounts.chmod(0o600)
        token = self.folder / "token"
        token.write_text(TOKEN)
        _, told = self.start("receive", "--database", str(self.folder / "receiver.sqlite"), "--port", "0",
                             "--accounts", str(accounts))
        self.ask("session", "start", "--user", USER, "--organization", ORGANIZATION, "--receiver", told["url"],
                 "--token-file", str(token))

    def await_port(self, port):
        """Waits until the host listens there, which it does a moment after it answers commands."""
        end = time.monotonic() + 30
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=5).close()
            except ConnectionRefusedError:
                assert time.monotonic() < end, f"nobody listens at {port}"
                time.sleep(0.05)

    def get(self, accept, port=None):
        """Status, media type and body of the metrics, at a port or at the control socket."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30) if port else UnixConnection(
            str(self.folder / "state" / "control.sock"))
        connection.request("GET", "/metrics", headers={"Accept": accept} if accept else {})
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer.status, answer.getheader("Content-Type"), body

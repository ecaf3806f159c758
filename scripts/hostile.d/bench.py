"""What the parts of scripts/hostile share: a gateway in a folder of its own, a receiver that answers as it is told, and the count."""

import argparse
import atexit
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOKEN = "hostile-TOKEN-0123456789abcdef"
# docs/reference/command-line.md: done, failed, usage, unavailable, done without its output, temporary, cancelled.
STATUSES = {0, 1, 64, 69, 74, 75, 130}


class Part:
    """Counts what was tried and what failed, in a folder that goes at the end."""

    def __init__(self, name):
        parser = argparse.ArgumentParser()
        parser.add_argument("--quick", action="store_true")
        parser.add_argument("--seed", type=int, default=1)
        self.options = parser.parse_args()
        self.name, self.quick = name, self.options.quick
        self.random = random.Random(f"{name}{self.options.seed}")
        self.program = str(ROOT / ".build/meterhost/bin/meterhost")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"meterhost-hostile-{name}-"))
        # Also when somebody stops it.
        atexit.register(shutil.rmtree, self.folder, True)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        self.tried, self.failed, self.lock = 0, 0, threading.Lock()

    def check(self, is_fine, what):
        with self.lock:
            self.tried += 1
            if not is_fine:
                self.failed += 1
                print(f"{self.name}: {what}", file=sys.stderr, flush=True)
        return is_fine

    def each(self, cases, body, at_once=4):
        """Runs a body for each case, some at a time: most of it is waiting for processes."""
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            for case, done in [(case, pool.submit(body, case)) for case in cases]:
                try:
                    done.result()
                except Exception as error:  # One case must not take the count of the others along.
                    self.check(False, f"{case if isinstance(case, str) else case[0]}: {type(error).__name__}: {error}")

    def end(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        print(f"{self.name}: tried={self.tried} failed={self.failed}", flush=True)
        sys.exit(1 if self.failed or not self.tried else 0)


class Gateway:
    """A state folder, and the program with it."""

    def __init__(self, part, name, state=None):
        self.part, self.name = part, name
        self.folder = part.folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.state = state or self.folder / "state"
        self.environment = dict(
            os.environ, TZ="UTC", HOME=str(self.folder), METERHOST_STATE=str(self.state),
            METERHOST_AIR=str(self.folder / "air"), METERHOST_LOG="critical")
        self.said = []
        (self.folder / "token").write_text(TOKEN + "\n")
        (self.folder / "token").chmod(0o600)

    def run(self, arguments, given=None, limit=120):
        """A command to its end. A signal, a status that no page names and a command that hangs are failures by themselves."""
        try:
            done = subprocess.run(
                [self.part.program] + arguments, env=self.environment, cwd=self.folder, input=given, timeout=limit,
                capture_output=True, text=True, errors="replace")
        except subprocess.TimeoutExpired:
            self.part.check(False, f"{self.name}: `{' '.join(arguments)}` hangs")
            return subprocess.CompletedProcess(arguments, 75, "", "")
        self.said.append(done.stdout + done.stderr)
        self.part.check(
            done.returncode in STATUSES,
            f"{self.name}: `{' '.join(arguments)}` ended with {done.returncode}: {done.stderr[-400:]}")
        return done

    def start(self, arguments, ready, limit=60):
        """A program that goes on; returns when it has said a line with these words."""
        process = subprocess.Popen(
            [self.part.program] + arguments, env=self.environment, cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace")
        timer = threading.Timer(limit, process.kill)
        timer.start()
        for line in process.stdout:
            if ready in line:
                timer.cancel()
                # Whatever else it says must not fill the pipe.
                threading.Thread(target=process.stdout.read, daemon=True).start()
                process.line = line
                return process
        raise RuntimeError(f"meterhost {' '.join(arguments)} ended with {process.wait()}")

    def begin(self, url):
        return self.run(
            ["session", "start", "--user", "ada", "--organization", "clinic", "--receiver", url, "--token-file",
             str(self.folder / "token"), "--json"])

    def queue(self):
        """The entries of the queue; None when it cannot be read, which the command has to say."""
        done = self.run(["queue", "list", "--json"])
        return lines(done.stdout) if done.returncode == 0 else None


def lines(text):
    """The objects of JSON lines; what is none is passed."""
    found = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            pass
    return found


def weight(number):
    """A record as `submit record` takes it, with a minute and a value of its own."""
    return {
        "type": "weight", "time": f"2024-01-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00Z",
        "log_id": f"00000000-0000-4000-8000-{number:012x}",
        "values": [{"metric": "body_weight", "value": 60 + number % 400 / 10, "unit": "kg"}]}


def documents(numbers):
    return "\n".join(json.dumps(weight(number)) for number in numbers)


class Request:
    def __init__(self, method, path, head, body):
        self.method, self.path, self.head, self.body = method, path, head, body


def answer(status, body=b"{}", *headers):
    """An answer in one piece."""
    body = body.encode() if isinstance(body, str) else body
    head = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def honest(request):
    """A receiver that stores what it is sent."""
    if request.method == "GET":
        return answer(200, '{"data":{}}')
    return answer(201, json.dumps({"id": hashlib.sha256(request.path.encode() + request.body).hexdigest()[:12]}))


class Receiver:
    """A server on a real socket; `script` makes of a request the bytes of an answer, or pieces of it, which may wait."""

    def __init__(self, script):
        self.script, self.requests, self.lock = script, [], threading.Lock()
        self.connections = set()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                self.connections.add(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, connection.makefile("rb") as stream:
            try:
                while self.reply(connection, stream):
                    pass
            except (OSError, ValueError):
                pass
            finally:
                with self.lock:
                    self.connections.discard(connection)

    def reply(self, connection, stream):
        words = stream.readline(65_536).decode(errors="replace").split()
        if len(words) < 2:
            return False
        head, length = {}, 0
        while (line := stream.readline(65_536)).strip():
            name, _, value = line.decode(errors="replace").partition(":")
            head[name.lower()] = value.strip()
        length = int(head.get("content-length", 0))
        request = Request(words[0], words[1], head, stream.read(length))
        with self.lock:
            self.requests.append(request)
        said = self.script(request)
        if said is None:
            return False
        for piece in [said] if isinstance(said, bytes) else said:
            connection.sendall(piece)
        return isinstance(said, bytes)

    def stored(self):
        """The records that were sent, by log_id: each is a set, which has one content when nothing was changed on the way."""
        found = {}
        with self.lock:
            for request in self.requests:
                if request.method == "POST" and "/data/" in request.path:
                    for record in records(request.body):
                        found.setdefault(record["log_id"], set()).add(json.dumps(record, sort_keys=True))
        return found

    def close(self):
        """Ends it and every connection: what is only closed goes on in the threads that wait for it."""
        with self.lock:
            ends = [self.listener, *self.connections]
        for each in ends:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.listener.close()


def records(body):
    """Every object with a log_id in a body, whatever it is wrapped in."""
    def walk(value):
        if isinstance(value, dict):
            if "log_id" in value:
                yield value
            else:
                for member in value.values():
                    yield from walk(member)
        elif isinstance(value, list):
            for member in value:
                yield from walk(member)
    return list(walk(json.loads(body)))


def stop(process, how="kill"):
    if process and process.poll() is None:
        getattr(process, how)()
        process.wait()


def wait_until(condition, limit=60):
    """Waits for something outside of this process; false when it did not come."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False

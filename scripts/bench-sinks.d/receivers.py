"""Receivers on this machine, each with the setting by which a gateway reaches it."""
import asyncio
import http.server
import os
import pathlib
import random
import subprocess
import sys
import threading

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(SCRIPTS / "fleet-test.d"), str(SCRIPTS / "fhir-test.d")]
import fleet  # noqa: E402
import strict_server  # noqa: E402


class Receiver:
    """Where readings go: how a session is begun with it, the token for it, and how it ends."""

    def __init__(self, words, token, end):
        self.words, self.token, self.end = words, token, end


def setting(**members):
    return [word for name, value in members.items() for word in ("--set", f"{name}={value}")]


class Missing(Exception):
    """What a receiver needs is not on this machine."""


def start(arguments, ready, folder, environment=None):
    """Starts a program and waits for the line that says that it is there."""
    process = subprocess.Popen(
        list(map(str, arguments)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
        env={**os.environ, **(environment or {})})
    for line in process.stdout:
        if ready in line:
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return process
    raise fleet.Failure(f"{arguments[0]} ended with status {process.wait()}")


def inform(options, folder):
    program = fleet.Program(options.programs / "meterhost-receiver", str(folder / "receiver.sqlite"), folder)
    program.run("organization", "add", "clinic")
    token = program.run("user", "add", "clinic", "ada").strip()
    port = fleet.free_port()
    process = start([program.path, "serve", "--database", program.database, "--port", port], "listening", folder)
    return Receiver(["--receiver", f"http://127.0.0.1:{port}"], token, lambda: fleet.end(process))


def over_nats(options, folder, **more):
    program = fleet.Program(options.programs / "meterhost-receiver", str(folder / "receiver.sqlite"), folder)
    token = program.make(["gw"], ["ada"])["ada"]
    nodes = fleet.Nodes(folder, 1)
    asyncio.run(nodes.start_all())
    program.rows("fleet", "provision", "--replicas", 1, "--size", 256, *nodes.options())
    receiver = program.serve(nodes)

    def stop():
        fleet.end(receiver)
        nodes.end()

    words = ["--kind", "nats", *setting(
        servers=nodes.address(nodes.ports[0]), organization="clinic", gateway="gw", key_file=folder / "gw.seed",
        ca_file=nodes.certificate, **more)]
    return Receiver(words, token, stop)


def mqtt(options, folder):
    if not options.mosquitto:
        raise Missing("mosquitto is not here")
    port = fleet.free_port()
    (folder / "mosquitto.conf").write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nlog_type error\nlog_type information\n")
    process = subprocess.Popen(
        [f"{options.mosquitto}/sbin/mosquitto", "-c", folder / "mosquitto.conf"], cwd=folder, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env={**os.environ, "LD_LIBRARY_PATH": options.mosquitto_libraries})
    # Nobody has subscribed: what the broker does with a message after its acknowledgement is not the question.
    words = ["--kind", "mqtt", *setting(
        address=f"mqtt://127.0.0.1:{port}", gateway="gw", receiver_user="any", nobody_listens="accept", keep_seconds=0)]
    return Receiver(words, None, lambda: fleet.end(process))


class Answering(http.server.BaseHTTPRequestHandler):
    """Reads what comes and answers 204."""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def do_GET(self):
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def answering():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def webhook(options, folder):
    server = answering()
    words = ["--kind", "webhook", *setting(address=f"http://127.0.0.1:{server.server_port}/readings", receiver_user="any")]
    return Receiver(words, "whsec_" + "A" * 43 + "=", server.shutdown)


def influx(options, folder):
    server = answering()
    words = ["--kind", "influx", *setting(
        address=f"http://127.0.0.1:{server.server_port}", receiver_user="any", version=1, database="readings")]
    return Receiver(words, None, server.shutdown)


def fhir(options, folder):
    server = strict_server.Server(random.Random(1))
    words = ["--kind", "fhir", *setting(address=server.url, patient="Patient/123", receiver_user="any"), "--yes", "--birth-date",
             strict_server.PATIENT["birthDate"]]
    return Receiver(words, strict_server.TOKEN, server.http.shutdown)


def file(options, folder):
    return Receiver(["--kind", "file", *setting(folder=folder / "readings")], None, lambda: None)


KINDS = {
    "inform": inform, "nats": over_nats,
    "nats-broker": lambda options, folder: over_nats(options, folder, acknowledged_by="broker"),
    "mqtt": mqtt, "webhook": webhook, "influx": influx, "fhir": fhir, "file": file}

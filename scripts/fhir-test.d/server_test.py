"""Readings on their way to a strict FHIR server, by the real program. Each part says what it has found; the last line counts."""

import argparse
import atexit
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from strict_server import PATIENT, TOKEN, Server


class Gateway:
    """A state folder and the program with it; the session's own receiver is a folder, the FHIR server one beside it."""

    def __init__(self, program, folder, name):
        self.program, self.folder = os.path.abspath(program), folder / name
        self.folder.mkdir()
        self.environment = dict(
            os.environ, TZ="UTC", HOME=str(self.folder), METERHOST_STATE=str(self.folder / "state"),
            METERHOST_AIR=str(self.folder / "air"), METERHOST_LOG="critical")
        (self.folder / "token").write_text(TOKEN + "\n")
        (self.folder / "token").chmod(0o600)

    def run(self, *arguments, given=None):
        return subprocess.run(
            [self.program, *arguments], env=self.environment, cwd=self.folder, input=given, timeout=300,
            stdin=subprocess.DEVNULL if given is None else None, capture_output=True, text=True)

    def ask(self, *arguments, given=None):
        done = self.run(*arguments, "--json", given=given)
        assert done.returncode == 0, f"meterhost {' '.join(arguments)} ends with {done.returncode}: {done.stderr[-800:]}"
        return [json.loads(line) for line in done.stdout.splitlines()]

    def refused(self, *arguments):
        """The code with which a command is refused."""
        done = self.run(*arguments, "--json")
        assert done.returncode not in (0, -9), f"meterhost {' '.join(arguments)} is not refused"
        return json.loads(done.stderr.splitlines()[-1])["error"]["code"]

    def begin(self):
        self.ask("session", "start", "--user", "ada", "--organization", "clinic", "--kind", "file", "--set",
                 f"folder={self.folder / 'readings'}")

    def add(self, server, *more):
        return ["sink", "add", "clinic", "--kind", "fhir", "--address", server.url, "--token-file", "token", *more]

    def host(self):
        """A host that is there."""
        host = subprocess.Popen(
            [self.program, "run", "--json"], env=self.environment, cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        assert host.stdout.readline(), "the host has ended"
        threading.Thread(target=host.stdout.read, daemon=True).start()
        return host

    def waiting(self):
        return [each for each in self.ask("queue", "list") if each["sink"] == "clinic"]

    def deliver(self, limit=240):
        """Until nothing waits for the server."""
        end = time.monotonic() + limit
        while True:
            self.run("queue", "flush")
            left = [each for each in self.waiting() if each["state"] in ("pending", "in_flight")]
            if not left:
                return
            assert time.monotonic() < end, f"{len(left)} readings do not arrive: {left[0].get('last_error')}"


def weight(number):
    """A record with a minute and a value of its own."""
    return {"type": "weight", "time": f"2024-01-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00Z",
            "log_id": f"00000000-0000-4000-8000-{number:012x}",
            "values": [{"metric": "body_weight", "value": 60 + number % 400 / 10, "unit": "kg"}]}


def check_confirmation(server, gateway):
    """Nobody's readings go to a patient whom nobody has confirmed."""
    gateway.begin()
    cases = [
        (["--patient", "Patient/123"], "not_confirmed"), (["--patient", "Patient/123", "--yes"], "not_confirmed"),
        (["--patient", "Patient/123", "--yes", "--birth-date", "1958-03-08"], "subject_differs"),
        (["--patient", "Patient/123", "--birth-date", "1958"], "subject_differs"),
        (["--patient", "Patient/124", "--yes", "--birth-date", "1958-03-07"], "fhir_no_patient"),
        (["--patient-identifier", "https://clinic.example/mrn|4712", "--yes", "--birth-date", "1958-03-07"], "fhir_no_patient"),
        (["--patient", "123", "--yes", "--birth-date", "1958-03-07"], "fhir_patient"),
        (["--yes", "--birth-date", "1958-03-07"], "fhir_patient"),
    ]
    for more, code in cases:
        said = gateway.refused(*gateway.add(server, *more))
        assert said == code, f"{more}: {said}, not {code}"
    assert len(gateway.ask("sink", "list")) == 1, "something was added"
    gateway.ask(*gateway.add(
        server, "--patient-identifier", "https://clinic.example/mrn|4711", "--yes", "--birth-date", "1958-03-07"))
    shown = gateway.ask("sink", "show", "clinic")[0]
    assert shown["setting"]["patient"] == "Patient/123" and TOKEN not in json.dumps(shown)
    assert gateway.run("sink", "test", "clinic").returncode == 0
    print(f"fhir-test: {len(cases)} ways to name the wrong patient are refused, the right one is confirmed")


def check_kills(server, gateway, rounds, chance):
    """What a command has acknowledged is at the server once, and as it was written."""
    server.share, acknowledged, number, host, kills = 0.4, set(), 0, None, 0
    for _ in range(rounds):
        if host is None or host.poll() is not None:
            host = gateway.host()
        batch = list(range(number, number + chance.randint(1, 15)))
        number = batch[-1] + 1
        submit = subprocess.Popen(
            [gateway.program, "submit", "record", "-", "--json", "--no-upload"], env=gateway.environment,
            cwd=gateway.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        documents = "\n".join(json.dumps(weight(each)) for each in batch)
        timer = threading.Timer(chance.expovariate(1 / 0.3), host.kill)
        timer.start()
        out, _ = submit.communicate(documents, timeout=120)
        for line in out.splitlines():
            acknowledged.add(json.loads(line)["log_id"])
        if chance.random() < 0.8:
            timer.join()
            host.wait(timeout=60)
            kills += 1
        else:
            timer.cancel()
    if host.poll() is None:
        host.kill()
        host.wait(timeout=60)
    server.share = 0.0
    gateway.deliver()
    dead = [each for each in gateway.waiting() if each["state"] == "dead"]
    assert not dead, f"refused: {dead[0].get('last_error')}; the server says {server.refused[:2]}"
    found = server.observations()
    lost = acknowledged - set(found)
    wrong = [name for name in acknowledged & set(found) if not is_written(found[name][0][1])]
    doubled = [name for name, each in found.items() if len(each) > 1]
    assert acknowledged, "nothing was acknowledged at all"
    assert not lost and not wrong, f"lost {sorted(lost)[:3]}, with another value {wrong[:3]}"
    assert not doubled, f"doubled {doubled[:3]}"
    print(f"fhir-test: {len(acknowledged)} readings acknowledged, a host killed {kills} times")
    return len(lost), len(doubled)


def is_written(observation):
    """Whether an observation has the value that its name was submitted with, for the patient who was confirmed."""
    name = next(each["value"] for each in observation["identifier"] if each["system"].endswith("/sid/log-id"))
    wanted = weight(int(name[-12:], 16))["values"][0]["value"]
    value = observation.get("valueQuantity", {})
    return value.get("value") == wanted and value.get("code") == "kg" and observation["subject"]["reference"] == "Patient/123"


def check_two(server, gateways):
    """Two gateways with the same readings at once: each is there once."""
    numbers = range(10_000, 10_060)
    documents = "\n".join(json.dumps(weight(each)) for each in numbers)
    for gateway in gateways:
        gateway.ask("submit", "record", "-", "--no-upload", given=documents)
    threads = [threading.Thread(target=gateway.deliver) for gateway in gateways]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = server.observations()
    wrong = [each for each in numbers if len(found.get(weight(each)["log_id"], [])) != 1]
    assert not wrong, f"not there once: {wrong[:3]}"
    print(f"fhir-test: two gateways at once, {len(numbers)} readings once each")


def check_meter(server, gateway, meter):
    """A meter that is read: it and the gateway are devices, once each."""
    air = subprocess.Popen([gateway.program, "meter", "run", str(meter)], env=gateway.environment, cwd=gateway.folder,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        for line in air.stdout:
            if "advertising" in line:
                break
        gateway.ask("read", "1000", "--history")
        gateway.deliver()
    finally:
        air.terminate()
        air.wait(timeout=60)
    with server.lock:
        devices = [resource for key, resource in server.store.resources.items() if key[0] == "Device"]
    assert len(devices) == 2, f"{len(devices)} devices"
    print("fhir-test: a meter and its gateway are one device each")


def check_other_patient(server, gateway):
    """The patient is somebody else by now."""
    with server.lock:
        server.store.resources[("Patient", "123")] = {**PATIENT, "name": [{"family": "Other"}]}
    done = gateway.run("sink", "test", "clinic", "--json")
    assert done.returncode == 1, f"sink test ends with {done.returncode}: {done.stderr}"
    gateway.ask("submit", "record", "-", "--no-upload", given=json.dumps(weight(20_000)))
    gateway.run("queue", "flush")
    assert weight(20_000)["log_id"] not in server.observations(), "a reading went to somebody else"
    print("fhir-test: a patient with another name gets nothing")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"fhir-test: seed {options.seed}")
    chance = random.Random(options.seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="meterhost-fhir-"))
    atexit.register(shutil.rmtree, folder, True)
    server = Server(random.Random(options.seed + 1))
    first, second = Gateway(options.program, folder, "first"), Gateway(options.program, folder, "second")
    check_confirmation(server, first)
    lost, doubled = check_kills(server, first, options.rounds, chance)
    second.begin()
    second.ask(*second.add(server, "--patient", "Patient/123", "--yes", "--birth-date", "1958-03-07"))
    check_two(server, [first, second])
    meter = pathlib.Path(__file__).resolve().parents[2] / "SDK/meters/contour-next-one.json"
    check_meter(server, first, meter)
    check_other_patient(server, first)
    print(f"lost={lost} doubled={doubled}")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Flips and cuts of every file of a state folder, as it is after a kill, and its files taken away. Whatever reads it then does not
crash, and does not say that all is well where readings are missing: what was acknowledged is listed as it was, or somebody is told.
What is still delivered is what was measured."""

import json
import os
import shutil

from bench import Gateway, Part, Receiver, documents, honest, lines, stop, weight

COMMANDS = [
    ["queue", "list", "--json"], ["session", "--json"], ["meters", "list", "--json"], ["key", "list", "--json"],
    ["events", "--after", "0", "--json"], ["queue", "limits", "--json"], ["driver", "quarantine", "--json"],
    ["driver", "recordings", "list", "--json"], ["passive", "--json"]]
RECORDS = 40


def model(part):
    """A state folder with readings that wait, held ones and delivered ones, whose host was killed: with -wal and -shm."""
    gateway = Gateway(part, "model")
    receiver = Receiver(honest)
    gateway.begin(receiver.url)
    gateway.run(["submit", "record", "-", "--json"], documents(range(900, 905)))
    receiver.close()
    service = gateway.start(["run", "--json"], "running")
    done = gateway.run(["submit", "record", "-", "--json"], documents(range(RECORDS)))
    part.check(len(lines(done.stdout)) == RECORDS, f"the model has not taken its records: {done.stderr[-300:]}")
    gateway.run(["feedback", "set", "--hook", "/bin/true"])
    stop(service)
    part.check((gateway.state / "state.sqlite-wal").stat().st_size > 0, "the model has no log of the database")
    # What a clean copy says, and a copy of it that nobody has opened.
    pristine = part.folder / "pristine"
    shutil.copytree(gateway.state, pristine, ignore=shutil.ignore_patterns("*.sock"))
    for arguments in COMMANDS:
        done = gateway.run(arguments)
        part.check(done.returncode == 0, f"a clean folder: `{' '.join(arguments)}` says {done.stderr[-300:]}")
    entries = {entry["log_id"]: entry["reading"]["values"] for entry in gateway.queue() or []}
    part.check(len(entries) == RECORDS, f"a clean folder shows {len(entries)} of {RECORDS} readings")
    return pristine, entries


def flip(path, at, bit):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1 << bit]))


def cut(path, length):
    os.truncate(path, length)


def damages(part, pristine):
    """Name, and what is done to a copy of the folder."""
    for file in sorted(file for file in pristine.rglob("*") if file.is_file()):
        name, size = str(file.relative_to(pristine)), file.stat().st_size
        yield f"{name} gone", lambda folder, name=name: (folder / name).unlink()
        yield f"{name} empty", lambda folder, name=name: cut(folder / name, 0)
        if part.quick:
            at = part.random.randrange(max(1, size))
            if size:
                yield f"{name} bit 0 of {at}", lambda folder, name=name, at=at: flip(folder / name, at, 0)
                yield f"{name} cut at {at}", lambda folder, name=name, at=at: cut(folder / name, at)
            continue
        yield f"{name} of zeros", lambda folder, name=name, size=size: (folder / name).write_bytes(bytes(size))
        yield f"{name} longer", lambda folder, name=name: (folder / name).open("ab").write(b"\0" * 100)
        yield f"{name} a folder", lambda folder, name=name: ((folder / name).unlink(), (folder / name).mkdir())
        yield f"{name} of others", lambda folder, name=name: (folder / name).chmod(0o000)
        for _ in range(min(60, max(4, size // 400)) if size else 0):
            at, bit = part.random.randrange(size), part.random.randrange(8)
            yield f"{name} bit {bit} of {at}", lambda folder, name=name, at=at, bit=bit: flip(folder / name, at, bit)
        for _ in range(8 if size > 1 else 0):
            length = part.random.randrange(1, size)
            yield f"{name} cut at {length}", lambda folder, name=name, length=length: cut(folder / name, length)
    both = ["state.sqlite-wal", "state.sqlite-shm"]
    yield "log and its index gone", lambda folder: [(folder / name).unlink() for name in both if (folder / name).exists()]
    yield "everything gone but the marks", lambda folder: [file.unlink() for file in folder.glob("state.sqlite*")]


def is_told(done):
    """Whether a command has said that something is wrong."""
    return done.returncode not in (0, 64) and bool(done.stderr.strip())


def hurt(part, case, pristine, expected):
    name, damage = case
    folder = part.folder / f"hurt-{abs(hash(name))}"
    shutil.copytree(pristine, folder / "state")
    damage(folder / "state")
    gateway = Gateway(part, folder.name)
    said = [gateway.run(arguments) for arguments in (COMMANDS[:2] if part.quick else COMMANDS)]
    doctor = gateway.run(["doctor", "--json"])
    findings = [each for each in lines(doctor.stdout) if each["status"] == "failed"]
    listing, told = said[0], bool(findings) or any(map(is_told, said))
    shown = {entry["log_id"]: entry["reading"] for entry in lines(listing.stdout) if "log_id" in entry}
    missing = set(expected) - set(shown)
    part.check(listing.returncode != 0 or not missing or told, f"{name}: {len(missing)} readings are gone, and nothing says so")
    part.check(listing.returncode == 0 or bool(listing.stderr.strip()), f"{name}: an error without a word")
    # A changed value is not shown as if it were the one that was measured, but with its state, or not at all.
    wrong = [
        log_id for log_id, reading in shown.items()
        if log_id in expected and reading["values"] != expected[log_id] and "damaged" not in json.dumps(reading) and not told]
    part.check(not wrong, f"{name}: shown with other values: {wrong[:3]}")
    deliver(part, name, gateway)
    if part.quick:
        return
    # A folder may be repaired, and then is readable or says why it is not.
    gateway.run(["doctor", "--repair", "--json"])
    gateway.run(["queue", "list", "--json"])
    shutil.rmtree(folder, ignore_errors=True)


def deliver(part, name, gateway):
    """What is still sent is what was measured."""
    receiver = Receiver(honest)
    (gateway.folder / "token").chmod(0o600)
    started = gateway.begin(receiver.url)
    if started.returncode == 0:
        gateway.run(["queue", "flush"])
    written = {each["log_id"]: each for each in map(weight, [*range(RECORDS), *range(900, 905)])}
    for log_id, contents in receiver.stored().items():
        for content in map(json.loads, contents):
            known = written.get(log_id)
            is_right = known is not None and content["start_time"] == known["time"] and float(
                content["metrics"][0]["value"]) == known["values"][0]["value"]
            part.check(is_right, f"{name}: delivered {content} in the place of {known}")
    receiver.close()


def main():
    part = Part("damage")
    pristine, expected = model(part)
    # One of each name: chance may meet a place twice.
    cases = list(dict(damages(part, pristine)).items())
    part.each(cases, lambda case: hurt(part, case, pristine, expected))
    part.end()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Hostile meters: every fault that a virtual meter can play, at several places, and records whose bytes were changed. A read ends
with a documented error and its host goes on; the next read of the meter, without its fault, brings what it holds, each reading once,
and not another one."""

import datetime
import json

from bench import ROOT, Gateway, Part, lines, stop

# Peripheral and script. They differ in how they send: by a control point, on their own, and in vendors' protocols.
METERS = [
    (1000, "contour-next-one.json"), (4000, "thermometer-with-clock.json"), (3000, "blood-pressure-memory.json"),
    (10400, "verio-flex.json"), (5000, "weight-scale.json")]


def faults(part):
    """Faults of the first two connections; the third is as it should be."""
    places = [2, 9] if part.quick else [1, 2, 3, 5, 8, 12, 17, 23, 30, 40]
    for count in places:
        for lost in [False] if part.quick else [False, True]:
            yield {"kind": "disconnect-after-pdu", "count": count, "lost": lost}
        yield {"kind": "error-at-request", "count": count, "code": part.random.choice(["0x01", "0x05", "0x0E", "0x80", "0xFD"])}
    for how in ["truncated", "silent"] if part.quick else [
            "truncated", "wrong-opcode", "lying-length", "handles-out-of-order", "silent"]:
        for opcode in ["0x1B"] if part.quick else ["0x11", "0x09", "0x0B", "0x13", "0x1B", "0x1D"]:
            yield {"kind": "malformed", "opcode": opcode, "how": how}
    if not part.quick:
        yield {"kind": "duplicate-notifications"}
        yield {"kind": "unset-clock"}
        yield {"kind": "refuse-mtu"}
        yield {"kind": "procedure-not-completed", "after_records": 1}


def script(name, **changes):
    meter = json.loads((ROOT / "SDK/meters" / name).read_text())
    meter["disconnect_after_procedure"] = True
    meter.update(changes)
    return meter


def now():
    """This moment as the queue writes it."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")


def read(gateway, peripheral, meter):
    return gateway.run(
        ["read", str(peripheral), "--allow", meter["address"], "--history", "--json", "--timeout", "5", "--silence", "2",
         "--no-upload"], limit=180)


def undated(name):
    """How many records of a script have no time of their own: they get the host's, so each life of the meter brings them anew."""
    meter = script(name)
    if meter["behaviour"]["kind"] != "scale":
        return 0
    # The flags of a Weight Measurement; bit 1 says that a time follows.
    return sum(1 for record in meter["records"] if not bytes.fromhex(record["measurement"])[0] & 2)


class Readings:
    """What the queue holds, by moment and value, as many of each as there are. `recent` are those that were measured just now."""

    def __init__(self, gateway, begun):
        self.dated, self.recent = [], []
        for entry in gateway.queue() or []:
            reading = entry["reading"]
            values = json.dumps(reading["values"], sort_keys=True)
            if str(reading.get("time")) >= begun:
                self.recent.append(values)
            else:
                self.dated.append(json.dumps([reading.get("time"), values]))
        self.dated.sort()

    def is_as(self, clean, lives):
        """Whether nothing is missing, doubled or another's. What has no time of its own comes once in each life of the meter."""
        return (
            self.dated == clean.dated and set(self.recent) == set(clean.recent)
            and all(self.recent.count(each) <= lives * clean.recent.count(each) for each in self.recent))

    def __len__(self):
        return len(self.dated) + len(self.recent)


def run_meter(gateway, meter, name="meter.json"):
    (gateway.folder / name).write_text(json.dumps(meter))
    return gateway.start(["meter", "run", name], "advertising")


def baseline(part, case):
    peripheral, name = case
    gateway = Gateway(part, f"clean-{peripheral}")
    begun = now()
    gateway.begin("http://127.0.0.1:1")
    meter = script(name)
    process = run_meter(gateway, meter)
    done = read(gateway, peripheral, meter)
    stop(process)
    found = Readings(gateway, begun)
    part.check(done.returncode == 0 and len(found) > 0, f"{name}: a clean read ends with {done.returncode}: {done.stderr[-300:]}")
    part.check(len(found.recent) == undated(name), f"{name}: {len(found.recent)} readings have the host's time")
    return found


def fail(part, case, expected):
    """Two reads with a fault, then one without."""
    number, (peripheral, name), fault = case
    gateway = Gateway(part, f"fault-{number}")
    begun = now()
    gateway.begin("http://127.0.0.1:1")
    meter = script(name, faults=[dict(fault, only_connection=connection) for connection in (1, 2)])
    process = run_meter(gateway, meter)
    for _ in range(2):
        done = read(gateway, peripheral, meter)
        ended = [each for each in lines(done.stdout) if each.get("event") in ("completed", "failed")]
        part.check(bool(ended) or done.returncode != 0, f"{name} {fault}: a read without an end")
    # The meter may have closed its memory behind what it sent; a new life has all of it again.
    stop(process)
    clean = script(name)
    process = run_meter(gateway, clean)
    done = read(gateway, peripheral, clean)
    stop(process)
    found = Readings(gateway, begun)
    is_clock = fault["kind"] == "unset-clock"
    part.check(is_clock or found.is_as(expected, lives=2), f"{name} {fault}: {len(found)} readings, and the meter has {len(expected)}")


def garble(part, number):
    """Records with changed bytes, and random ones: there is no right answer, but no crash, and no reading without a value."""
    peripheral, name = part.random.choice(METERS[:3])
    meter = script(name)
    for record in meter["records"]:
        for key in ("measurement", "context"):
            if key in record:
                data = bytearray.fromhex(record[key].replace(" ", ""))
                for _ in range(part.random.randint(1, 4)):
                    data[part.random.randrange(len(data))] = part.random.randrange(256)
                if part.random.random() < 0.2:
                    data = data[: part.random.randint(1, len(data))]
                record[key] = data.hex()
    gateway = Gateway(part, f"garbled-{number}")
    gateway.begin("http://127.0.0.1:1")
    try:
        process = run_meter(gateway, meter)
    except RuntimeError:
        return  # A script that the virtual meter refuses.
    read(gateway, peripheral, meter)
    stop(process)
    entries = gateway.queue()
    part.check(entries is not None, f"garbled {number}: the queue cannot be read")
    names = [entry["name"] for entry in entries or []]
    part.check(len(names) == len(set(names)), f"garbled {number}: a name twice")
    gateway.run(["doctor", "--json"])


def main():
    part = Part("meters")
    meters = METERS[:2] if part.quick else METERS
    expected = {meter: baseline(part, meter) for meter in meters}
    cases = [(f"{meter[1]} {fault}", meter, fault) for meter in meters for fault in faults(part)]
    part.each(
        [(number, *case[1:]) for number, case in enumerate(cases)], lambda case: fail(part, case, expected[case[1]]))
    part.each([str(number) for number in range(4 if part.quick else 150)], lambda number: garble(part, number))
    part.end()


if __name__ == "__main__":
    main()

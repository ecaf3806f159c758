"""scripts/vm-test --bench reads=N: the same glucose meter, read by MeterHost and by bleak.

Both find the meter on the air by what it advertises, on the same adapter, in the same guest, in turns of ten reads. Within its turn
each keeps what it has learnt of the meter: MeterHost in its state folder, bleak in bluetoothd's cache. The meter has new records
for each read and no others, so that both get as many. It calls only when the reader listens, so that nobody's start counts; its
frames wait for connection events, so that every request costs what it costs on a radio.

Times are this machine's, from the meter's first call: to the frame that answers its last record's procedure, and to the line by
which the reader says that it has everything. For MeterHost that is after the commit.
"""

import asyncio
import json
import statistics
import sys
import time

import lab
from bluetoothd import bluetoothd
from peripherals.glucose import Glucose, memory

RECORDS = 20
# Linux asks for 30 to 50 ms.
INTERVAL = 0.03
SECONDS = 40


class Reader:
    """One of the two, and its results."""

    def __init__(self, name):
        self.name, self.results, self.failures = name, [], []

    def summary(self):
        def median(key):
            values = [result[key] for result in self.results if result[key] is not None]
            return round(statistics.median(values), 3) if values else None
        return {
            "reader": self.name, "reads": len(self.results), "failures": len(self.failures),
            "median_seconds_to_last_record": median("records"), "median_seconds_to_done": median("done"),
            "median_att_pdus": median("pdus"), "first_failures": self.failures[:3]}


async def listening(table):
    """Waits until somebody scans."""
    async with asyncio.timeout(SECONDS):
        while not table.adapters[0].controller.le_scan_enable:
            await asyncio.sleep(0.02)
    # A scan of the read before may be on its way out.
    await asyncio.sleep(0.5)


async def measure(table, room, meter, number, begin):
    """One read: `begin` starts it and returns the wait for the line that ends it."""
    meter.records = memory(RECORDS * (number + 1))[-RECORDS:]
    done = await begin()
    await listening(table)
    links = len(meter.links)
    began = time.monotonic()
    await meter.call()
    try:
        moment = await done()
        if len(meter.links) == links:
            raise lab.Failure("nobody connected")
        answered = [when for when, what in meter.notes if what == "answered" and when > began]
        return {
            "records": answered[-1] - began if answered else None, "done": moment - began,
            "pdus": sum(link.tally.att for link in meter.links[links:])}
    finally:
        await meter.fall_silent()
        await meter.until(lambda: meter.connection is None, 20)


def by_meterhost(room, state):
    async def begin():
        # The address is not told: the search is part of the read, as for bleak.
        read = room.meterhost(
            "read", Glucose.catalogue_id, "--trust-clock", "--no-upload", "--timeout", SECONDS, state=state,
            environment={"METERHOST_LOG": "warning"})

        async def done():
            await read.event("completed", SECONDS)
            moment = time.monotonic()
            new = read.events("completed")[0]["new"]
            await read.ended(20)
            if new != RECORDS:
                raise lab.Failure(f"{new} records")
            return moment
        return done
    return begin


def by_bleak(program, number):
    async def begin():
        async def done():
            await program.until(lambda program: len(program.objects) > number, "a read", SECONDS)
            moment, said = time.monotonic(), program.objects[number]
            if "failure" in said:
                raise lab.Failure(said["failure"])
            if sum(name == "2A18" for name, _ in said["values"]) != RECORDS:
                raise lab.Failure("not every record")
            return moment
        return done
    return begin


async def measured(reader, measuring):
    try:
        reader.results.append(await measuring)
    except (lab.Failure, TimeoutError) as error:
        reader.failures.append(str(error).splitlines()[0] if str(error) else "took too long")


async def run(options):
    name, _, count = options.bench.partition("=")
    if name != "reads" or not count.isdigit():
        print("vm-test: --bench takes reads=N", file=sys.stderr)
        return 64
    count, table = int(count), lab.Bench(options)
    readers = host, bleak = Reader("meterhost"), Reader("bleak")
    await table.begin()
    try:
        # In turns of ten, so that neither has the quieter half of the machine's time.
        for first in range(0, count, 10):
            turn = range(first, min(first + 10, count))
            room = await table.lab("bench")
            meter = await room.put(Glucose(records=memory(RECORDS)))
            await meter.fall_silent()
            table.air.interval = INTERVAL
            state = f"{room.state}-{first}"
            for number in range(len(turn)):
                await measured(host, measure(table, room, meter, number, by_meterhost(room, state)))
            await room.shell(f"rm -rf {state}")
            async with bluetoothd(room):
                program = room.start([
                    sys.executable, lab.HERE / "bleak_read.py", f"{meter.name}=2A18,2A34,2A52", "--reads", str(len(turn)),
                    "--seconds", str(SECONDS)])
                for number in range(len(turn)):
                    await measured(bleak, measure(table, room, meter, number, by_bleak(program, number)))
            await room.clean()
            print(f"bench: {turn[-1] + 1} of {count}", file=sys.stderr)
    finally:
        await table.end()
    result = {
        "records": RECORDS, "connection_interval_seconds": INTERVAL, "readers": [reader.summary() for reader in readers]}
    text = json.dumps(result, indent=2)
    print(text)
    if options.json:
        with open(options.json, "w") as file:
            file.write(text + "\n")
    return 0 if not host.failures else 1

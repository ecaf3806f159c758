"""What breaks in the middle of a read loses nothing and brings nothing twice."""

import asyncio
import signal

from lab import expect, scenario
from peripherals.glucose import Glucose, memory
from readings import expect_committed, expect_error

COUNT, BREAK = 12, 5


async def begin(lab, **options):
    """A read that is under way: some records have left the meter, and more are to come."""
    meter = await lab.put(Glucose(records=memory(COUNT), pace=0.25, **options))
    read = lab.meterhost(
        "read", meter.catalogue_id, "--allow", lab.address(meter), "--trust-clock", "--no-upload", "--timeout", 30)
    await meter.until(lambda: len(meter.sent) >= BREAK, 40)
    return meter, read


@scenario(quick=True)
async def killed(lab):
    """kill -9 in the middle of a read; the next read makes it whole."""
    meter, read = await begin(lab)
    read.kill()
    await read.ended(10)
    await meter.until(lambda: meter.connection is None)
    meter.pace = 0
    await lab.read(meter)
    await expect_committed(lab, meter.records)


@scenario(quick=True)
async def adapter_removed(lab):
    """The adapter is pulled out in the middle of a read: a typed error, and all is well when it is back."""
    meter, read = await begin(lab)
    await lab.unplug()
    # The read may wait for the adapter for as long as it would listen.
    await read.ended(45)
    expect(read.status not in (0, None), read)
    expect_error(read, "adapter_gone", "bluetooth_off")
    meter.pace = 0
    await lab.plug()
    # The kernel shows an adapter in its folder before it has set it up and gives it to programs.
    for _ in range(20):
        again = await lab.read(meter, status=None)
        if again.status != 69:
            break
        await asyncio.sleep(0.5)
    expect(again.status == 0, again)
    await expect_committed(lab, meter.records)


@scenario
async def link_dropped(lab):
    """The meter drops the link after some records; the next read brings the rest, and nothing twice."""
    meter = await lab.put(Glucose(records=memory(COUNT), drops_after=BREAK))
    broken = await lab.read(meter, status=None)
    expect(broken.status not in (0, None), broken)
    expect_error(broken, "communication_failure")
    await lab.read(meter)
    await expect_committed(lab, meter.records)
    resumed = [record for record in meter.links[-1].sent]
    expect(len(resumed) < COUNT, "the second read asked for everything again")


@scenario
async def interrupted(lab):
    """Ctrl-C in the middle of a read ends it in order: what was read stays, and the meter is free for others."""
    meter, read = await begin(lab)
    read.send(signal.SIGINT)
    await read.ended(15)
    expect(read.status == 130, read)
    await meter.until(lambda: meter.connection is None, 10)
    meter.pace = 0
    await lab.read(meter)
    await expect_committed(lab, meter.records)

"""The running host listens and reads by itself."""

import datetime
import signal

from lab import expect, scenario
from peripherals.glucose import Glucose, Record
from peripherals.streams import Thermometer

# Nobody answers there: readings wait in the queue.
RECEIVER = "http://127.0.0.1:9"
# The greatest hold-off is 15 s; the default is 5.
HOLD_OFF = 5


def now(sequence, concentration):
    """A record of this minute: what is older than the session is not the user's."""
    moment = datetime.datetime.now(datetime.UTC).replace(tzinfo=None, microsecond=0) + datetime.timedelta(minutes=1)
    return Record(sequence, moment, concentration)


async def start_session(lab):
    token = await lab.file("token", "0123456789abcdef0123456789abcdef\n")
    await lab.ask(
        "session", "start", "--user", "ada", "--organization", "clinic", "--receiver", RECEIVER, "--token-file", token,
        adapter=None, seconds=90)


async def committed(lab, count, seconds=40):
    """Waits until the queue has so many readings."""
    for _ in range(seconds):
        listed = await lab.ask("queue", "list", adapter=None)
        if len(listed.objects) >= count:
            return listed.objects
        await lab.pause(1)
    expect(False, listed, f"not {count} readings in {seconds} s")


@scenario(seconds=180, quick=True)
async def passive(lab):
    """A chosen meter is read when it calls, left alone while it goes on calling, and read again with its next record."""
    await start_session(lab)
    await lab.ask("passive", "set", 1000, adapter=None)
    expect("1000" in (await lab.ask("passive", "show", adapter=None)).text, "the set is not kept")
    service = lab.meterhost("run")
    await service.event("running")
    meter = await lab.put(Glucose(records=[now(1, 101)], hangs_up=False))
    first = await committed(lab, 1)
    await meter.until(lambda: meter.connection is None, 20)
    connections = len(meter.links)
    await lab.pause(HOLD_OFF + 3)
    expect(len(meter.links) == connections, "the meter was connected to again while it went on calling")
    await meter.fall_silent()
    await lab.pause(HOLD_OFF + 5)
    meter.records.append(now(2, 102))
    await meter.call()
    second = await committed(lab, 2)
    expect(len({line["log_id"] for line in second}) == 2 and first[0]["log_id"] in {line["log_id"] for line in second},
           "not two readings:", second)
    await lab.ask("passive", "off", adapter=None)
    service.send(signal.SIGINT)
    await service.ended(15)
    expect(service.status == 0, service)


@scenario(seconds=120)
async def passive_others(lab):
    """A meter of another kind is not connected to."""
    await start_session(lab)
    await lab.ask("passive", "set", 1000, adapter=None)
    service = lab.meterhost("run")
    await service.event("running")
    stranger = await lab.put(Thermometer())
    await lab.pause(6)
    expect(not stranger.links, "a meter that nobody has chosen was connected to")


@scenario(seconds=150)
async def passive_restored(lab):
    """The set outlives a crash: the host is killed, starts again, and reads without a command."""
    await start_session(lab)
    await lab.ask("passive", "set", 1000, adapter=None)
    service = lab.meterhost("run")
    await service.event("running")
    service.kill()
    await service.ended(10)
    again = lab.meterhost("run")
    await again.event("running")
    await lab.put(Glucose(records=[now(1, 103)]))
    await committed(lab, 1)

"""What a pairing is worth later: other processes, other addresses, another database, and a meter that has forgotten."""

from lab import expect, scenario
from peripheral import Security
from peripherals.glucose import Glucose, memory
from readings import expect_error, expect_read
from scenarios.pairing import meter_of


def one_more(meter):
    """The meter's owner measures again."""
    meter.records = memory(len(meter.records) + 1)
    return meter.records[-1:]


@scenario(quick=True)
async def stored_key(lab):
    """The key outlives the process and the adapter's loss of power, which empties the kernel's list."""
    meter = await lab.put(Glucose(security=Security.JUST_WORKS))
    await lab.pair(meter)
    await lab.unplug()
    await lab.plug()
    expect_read(await lab.read(meter), meter.records)
    expect(meter.link.is_encrypted and meter.noted("pairing asked") == 1, "it was paired again")


@scenario
async def lost_bond(lab):
    """The meter has lost its bond: a typed error, and pairing again cures it."""
    meter = await lab.put(Glucose(security=Security.JUST_WORKS))
    first = meter_of(await lab.pair(meter))
    await meter.forget_bonds()
    refused = await lab.read(meter, status=1)
    error = expect_error(refused, "not_paired", "pairing_failure")
    expect("pair" in f"{error}", refused, "the error does not say how to cure it")
    again = meter_of(await lab.pair(meter))
    expect(again["uuid"] == first["uuid"], "the meter has become another one:", first, again)
    expect_read(await lab.read(meter), meter.records)


@scenario
async def private_address(lab):
    """A meter that changes its address stays the same meter."""
    meter = await lab.put(Glucose(security=Security.JUST_WORKS, is_private=True))
    paired = meter_of(await lab.pair(meter))
    where = ["read", meter.catalogue_id, "--trust-clock", "--no-upload", "--timeout", 30]
    expect_read(await lab.ask(*where), meter.records)
    await meter.rotate_address()
    new = one_more(meter)
    expect_read(await lab.ask(*where), new)
    expect(len({link.address for link in meter.links}) > 1, "the address never changed")
    listed = await lab.ask("meters", "list", "--paired", adapter=None)
    found = [line["uuid"] for line in listed.objects]
    expect(found == [paired["uuid"]], listed, "not one meter of the same UUID")


@scenario
async def service_changed(lab):
    """The meter's handles move between two reads, and it says so by Service Changed."""
    meter = await lab.put(Glucose(security=Security.JUST_WORKS, has_service_changed=True))
    await lab.pair(meter)
    expect_read(await lab.read(meter), meter.records)
    await meter.move_database()
    new = one_more(meter)
    expect_read(await lab.read(meter), new)
    expect(meter.noted("change confirmed") == 1, "nobody confirmed that the database has changed")


@scenario
async def database_hash(lab):
    """The meter's handles move, and nothing but its Database Hash shows it."""
    meter = await lab.put(Glucose(has_service_changed=True))
    expect_read(await lab.read(meter), meter.records)
    second = await lab.read(meter)
    pdus = meter.links[-1].tally.att
    expect(pdus <= meter.links[0].tally.att, second, "the second read asks for more than the first:", pdus)
    await meter.move_database(is_told=False)
    new = one_more(meter)
    expect_read(await lab.read(meter), new)


@scenario(seconds=120)
async def many_reads(lab):
    """A bonded meter is read again and again, each time with one new record."""
    meter = await lab.put(Glucose(security=Security.JUST_WORKS))
    await lab.pair(meter)
    expect_read(await lab.read(meter), meter.records)
    for _ in range(3):
        new = one_more(meter)
        expect_read(await lab.read(meter), new)

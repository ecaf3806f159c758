"""What is on the air, and what is said where nothing can be heard."""

from lab import NOBODY, expect, scenario
from peripherals.glucose import Glucose
from peripherals.mi_scale import HAS_IMPEDANCE, STABLE, MiScale
from peripherals.streams import BloodPressure
from readings import expect_error, of_read


@scenario(quick=True)
async def scan(lab):
    """`scan` names every meter on the air, with what the catalogue has for it."""
    meters = [Glucose(address="F0:F1:F2:F3:F4:01"), BloodPressure(address="F0:F1:F2:F3:F4:02"), MiScale(address="F0:F1:F2:F3:F4:03")]
    await lab.put(*meters)
    found = await lab.ask("scan", "--timeout", 5)
    for meter in meters:
        entries = [
            entry["id"] for device in found.objects if device["address"] == lab.address(meter) for entry in device["entries"]]
        expect(meter.catalogue_id in entries, found, meter.name, "is", entries)


@scenario
async def changed_advertisements(lab):
    """A scale that is never connected to says another weight at the same address; the stable one is the reading."""
    await weigh(lab)


@scenario
async def strict_duplicates(lab):
    """The same with an adapter that takes whatever an address says for a duplicate, once the kernel lets it filter."""
    lab.adapters[0].controller.filters_by_address = True
    await weigh(lab)


async def weigh(lab):
    scale = await lab.put(MiScale())
    scale.show(70.1, 0)
    read = lab.meterhost("read", scale.catalogue_id, "--trust-clock", "--no-upload", "--timeout", 30)
    await read.event("ready")
    for weight, state, impedance in [
            (70.9, 0, 0), (71.35, STABLE, 0), (71.35, STABLE | HAS_IMPEDANCE, 503)]:
        await lab.pause(1)
        scale.show(weight, state, impedance)
    await read.ended(40)
    expect(read.status == 0, read)
    values = {value["metric"]: float(value["reported"]) for reading in of_read(read) for value in reading["values"]}
    expect(values.get("body_weight") == 71.35 and values.get("body_impedance") == 503, read, values)
    expect(not scale.links, "the scale was connected to")


@scenario
async def no_meter(lab):
    """Nobody is on the air: a read says so when its time is over."""
    read = await lab.ask("read", 1000, "--timeout", 3, status=75)
    expect_error(read, "connection_timeout")


@scenario
async def no_adapter(lab):
    """There is no adapter: a typed error that says what to do, from every command that needs one."""
    await lab.unplug()
    for command in (["scan", "--timeout", 3], ["read", 1000, "--timeout", 3], ["pair", 1000, "--timeout", 3]):
        asked = await lab.ask(*command, status=None)
        expect(asked.status not in (0, None), asked)
        expect_error(asked, "bluetooth_off", "adapter_gone")
    await lab.plug()
    meter = await lab.put(Glucose())
    await lab.read(meter)


@scenario
async def no_permission(lab):
    """A user without rights: a typed error that names the cure, and no crash."""
    meter = await lab.put(Glucose())
    state = "/run/state/nobody"
    await lab.shell(f"mkdir -p {state} && chown {NOBODY}:{NOBODY} {state}")
    read = await lab.ask(
        "read", meter.catalogue_id, "--timeout", 10, "--no-upload", user=NOBODY, state=state, status=None,
        environment={"HOME": state})
    expect(read.status not in (0, None), read)
    error = expect_error(read, "no_permission")
    expect("CAP_NET_ADMIN" in f"{error}", read, "the error names no cure")
    await lab.shell(f"rm -rf {state}")


@scenario
async def doctor(lab):
    """`doctor` sees the adapter, and that it is gone."""
    seen = await lab.ask("doctor", adapter=None, status=None)
    expect("hci0" in seen.text, seen, "no word of hci0")
    await lab.unplug()
    gone = await lab.ask("doctor", adapter=None, status=None)
    expect("hci0" not in gone.text or gone.text != seen.text, gone, "the adapter that is gone is still there")

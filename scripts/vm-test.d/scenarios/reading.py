"""Every generic profile: all stored records, each once, with the meter's own values."""

import asyncio

from lab import expect, scenario
from peripherals.glucose import Glucose
from peripherals.streams import BloodPressure, HeartRate, Oximeter, Thermometer, WeightScale
from readings import expect_committed, expect_nothing_new, expect_read


async def read_twice(lab, meter):
    """Everything is new, then nothing is; the disk has each record once."""
    await lab.put(meter)
    expect_read(await lab.read(meter), meter.records)
    expect_nothing_new(await lab.read(meter))
    await expect_committed(lab, meter.records)


@scenario(quick=True)
async def read_glucose(lab):
    """Generic glucose meter, by its Record Access Control Point; then nothing is new."""
    await read_twice(lab, Glucose())


@scenario
async def read_blood_pressure(lab):
    """Generic blood pressure monitor that sends its memory when it is subscribed; then nothing is new."""
    await read_twice(lab, BloodPressure())


@scenario
async def read_thermometer(lab):
    """Generic thermometer with a memory; then nothing is new."""
    await read_twice(lab, Thermometer())


@scenario
async def read_oximeter(lab):
    """Generic oximeter: spot-checks are readings, the running values are not; then nothing is new."""
    await read_twice(lab, Oximeter())


@scenario
async def read_scale(lab):
    """Generic weight scale with body composition; then nothing is new."""
    await read_twice(lab, WeightScale())


@scenario
async def read_heart_rate(lab):
    """Generic heart-rate strap: ten seconds of a steady rate are one reading."""
    strap = await lab.put(HeartRate())
    expect_read(await lab.read(strap), strap.records)


@scenario
async def read_empty(lab):
    """A glucose meter without records: a read that succeeds with nothing."""
    meter = await lab.put(Glucose(records=[]))
    expect_nothing_new(await lab.read(meter))


@scenario(adapters=2)
async def two_adapters(lab):
    """Two adapters read two meters at once, each by its own radio."""
    glucose, pressure = Glucose(address="F0:F1:F2:F3:F4:01", pace=0.3), BloodPressure(address="F0:F1:F2:F3:F4:02")
    await lab.put(glucose, pressure)
    reads = await asyncio.gather(
        lab.read(glucose, adapter=0), lab.read(pressure, adapter=1, state=f"{lab.state}-2"))
    expect_read(reads[0], glucose.records)
    expect_read(reads[1], pressure.records)
    centrals = [meter.link.central[:17] for meter in (glucose, pressure)]
    expect(centrals == [adapter.address for adapter in lab.adapters], "not each by its own adapter:", centrals)
    await lab.shell(f"rm -rf {lab.state}-2")

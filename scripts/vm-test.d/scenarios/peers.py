"""The peripherals alone, read by another program, so that a failed scenario is the host's failure and not theirs."""

from bluetoothd import bleak, bluetoothd
from lab import expect, scenario
from peripherals.glucose import Glucose
from peripherals.streams import BloodPressure, HeartRate, Oximeter, Thermometer, WeightScale


# Of the scale the weight last: its measurement starts the composition.
METERS = [
    (Glucose, "2A18,2A34,2A52"), (BloodPressure, "2A35"), (Thermometer, "2A1C"), (Oximeter, "2A5E"), (WeightScale, "2A9C,2A9D"),
    (HeartRate, "2A37")]


@scenario(seconds=150)
async def peers(lab):
    """bleak reads every peripheral through bluetoothd: the peripherals are right, whoever reads them."""
    meters = [kind(address=f"F0:F1:F2:F3:F4:1{number}") for number, (kind, _) in enumerate(METERS)]
    await lab.put(*meters)
    async with bluetoothd(lab):
        said = await bleak(lab, *(f"{meter.name}={uuids}" for meter, (_, uuids) in zip(meters, METERS)), "--values", "6",
                           seconds=120)
    for meter in meters:
        uuid = meter.measurement.uuid.to_hex_str().upper()
        values = [value for name, value in said[meter.name]["values"] if name == uuid]
        wanted = [record.value.hex() for record in meter.records]
        # The strap goes on for ever.
        expect(values == wanted or isinstance(meter, HeartRate) and wanted[0] in values, meter.name, values, "not", wanted)

"""The peripherals alone, read by another program, so that a failed scenario is the host's failure and not theirs."""

from bluetoothd import bleak, bluetoothd
from lab import expect, scenario
from peripheral import Security
from peripherals.glucose import Glucose
from peripherals.streams import BloodPressure, HeartRate, Oximeter, Thermometer, WeightScale


# Of the scale the weight last: its measurement starts the composition.
METERS = [
    (Glucose, "2A18,2A34,2A52"), (BloodPressure, "2A35"), (Thermometer, "2A1C"), (Oximeter, "2A5E"), (WeightScale, "2A9C,2A9D"),
    (HeartRate, "2A37")]
DONE = "Pairing successful"


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


@scenario(seconds=240, adapters=2)
async def peers_security(lab):
    """bluetoothd pairs every kind of meter: passkey, numbers, private addresses and lost bonds are as the kernel knows them."""
    passkey = Glucose(address="F0:F1:F2:F3:F4:21", name="VM Passkey", security=Security.PASSKEY, passkey=271828)
    numeric = Glucose(address="F0:F1:F2:F3:F4:22", name="VM Numeric", security=Security.NUMERIC)
    private = Glucose(address="F0:F1:F2:F3:F4:23", name="VM Private", security=Security.JUST_WORKS, is_private=True)
    meters = [passkey, numeric, private]
    await lab.put(*meters)
    async with bluetoothd(lab, agent="KeyboardDisplay") as bluez:
        await bluez.say("list", lab.adapters[1].address)
        await bluez.say("scan le", "Discovery started")
        for meter, answer in [(passkey, "271828"), (numeric, "yes"), (private, None)]:
            address, count = lab.address(meter), bluez.control.text.count(DONE)
            await bluez.control.until(lambda program: address in program.text, f"{meter.name} on the air", 20)
            await bluez.say(f"pair {address}", "Connected: yes", 40)
            if answer:
                await meter.until(lambda: meter.noted("pairing asked"), 30)
                # A prompt ends no line: it cannot be waited for.
                await lab.pause(3)
                await bluez.say(answer)
            # The meter is done before the daemon is.
            await bluez.control.until(lambda program: program.text.count(DONE) > count, f"{meter.name} paired", 30)
            expect(meter.link.is_encrypted, meter.name, "is not encrypted")
            await bluez.let_go(meter)
        await bluez.say("scan off", "Discovery stopped")
        await private.rotate_address()
        await numeric.forget_bonds()
        said = await bleak(lab, f"{private.name}=2A18,2A52")
        expect(len(said[private.name]["values"]) > len(private.records), said)
        expect(private.link.is_encrypted and private.noted("pairing asked") == 1, "the private meter was paired again")
        expect(len({link.address for link in private.links}) > 1, "the address never changed")
        said = await bleak(lab, f"{numeric.name}=2A18,2A52", "--seconds", "8", status=1)
        expect("failure" in said[numeric.name], "a meter that has lost its bond was read:", said)

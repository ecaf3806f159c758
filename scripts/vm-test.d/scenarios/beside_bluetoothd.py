"""bluetoothd owns the adapter, and MeterHost reads beside it."""

from bluetoothd import STORE, bluetoothd, control
from lab import expect, scenario
from peripheral import Security
from peripherals.glucose import Glucose
from readings import expect_read

# The daemon's cache of names and attributes is its own to change.
FINGERPRINT = f"cd {STORE} && find . -type f ! -path '*/cache/*' | sort | xargs -r sha256sum"


@scenario(seconds=120)
async def beside_bluetoothd(lab):
    """A meter without security is read while bluetoothd runs, and bluetoothd never notices."""
    meter = await lab.put(Glucose())
    async with bluetoothd(lab) as daemon:
        before = (await lab.shell(FINGERPRINT)).text
        expect_read(await lab.read(meter), meter.records)
        expect(daemon.status is None, daemon, "bluetoothd has ended")
        expect((await lab.shell(FINGERPRINT)).text == before, "bluetoothd's store has changed")


@scenario(seconds=150)
async def bond_of_bluetoothd(lab):
    """A meter that bluetoothd has bonded is read with bluetoothd's key, which stays as it is."""
    meter = await lab.put(Glucose(security=Security.JUST_WORKS))
    address = lab.address(meter)
    async with bluetoothd(lab) as daemon:
        desk = await control(lab, "scan le", address, "agent NoInputNoOutput", "default-agent")
        desk.type("scan off\n")
        desk.type(f"pair {address}\n")
        await desk.until(lambda program: "Pairing successful" in program.text, "the pairing", 40)
        # It stays connected for as long as it likes.
        desk.type(f"disconnect {address}\n")
        await meter.until(lambda: meter.connection is None, 20)
        before = (await lab.shell(FINGERPRINT)).text
        expect(before, "bluetoothd has stored nothing")
        expect_read(await lab.read(meter), meter.records)
        expect(meter.link.is_encrypted and meter.noted("pairing asked") == 1, "it was paired again")
        expect((await lab.shell(FINGERPRINT)).text == before, "bluetoothd's store has changed")
        expect(daemon.status is None, daemon, "bluetoothd has ended")

"""bluetoothd owns the adapter, and MeterHost reads beside it."""

from bluetoothd import bluetoothd
from lab import expect, scenario
from peripheral import Security
from peripherals.glucose import Glucose
from readings import expect_error, expect_read


@scenario(seconds=120, quick=True)
async def beside_bluetoothd(lab):
    """A meter without security is read while bluetoothd runs, and bluetoothd never notices."""
    meter = await lab.put(Glucose())
    async with bluetoothd(lab) as bluez:
        before = await bluez.store()
        expect_read(await lab.read(meter), meter.records)
        expect(bluez.daemon.status is None, bluez.daemon, "bluetoothd has ended")
        expect(await bluez.store() == before, "bluetoothd's store has changed")


@scenario(seconds=150)
async def bond_of_bluetoothd(lab):
    """A meter that bluetoothd has bonded is read with bluetoothd's key, which stays as it is."""
    meter = await lab.put(Glucose(security=Security.JUST_WORKS))
    address = lab.address(meter)
    async with bluetoothd(lab) as bluez:
        await bluez.say("scan le", address)
        await bluez.say("scan off", "Discovery stopped")
        await bluez.say(f"pair {address}", "Pairing successful", 40)
        await bluez.let_go(meter)
        before = await bluez.store()
        expect(before, "bluetoothd has stored nothing")
        expect_read(await lab.read(meter), meter.records)
        expect(meter.link.is_encrypted and meter.noted("pairing asked") == 1, "it was paired again")
        expect(await bluez.store() == before, "bluetoothd's store has changed")
        expect(bluez.daemon.status is None, bluez.daemon, "bluetoothd has ended")


@scenario(seconds=180)
async def pairing_through_bluetoothd(lab):
    """MeterHost has bluetoothd pair on its own link: a wrong passkey fails, the right one is bluetoothd's bond from then on."""
    meter = await lab.put(Glucose(security=Security.PASSKEY, passkey=271828))
    async with bluetoothd(lab) as bluez:
        before = await bluez.store()
        expect_error(await lab.pair(meter, answers=["000000"], status=1), "pairing_failure")
        expect(meter.noted("paired") == 0, "the meter believes that it is paired")
        paired = await lab.pair(meter, answers=["271828"])
        expect(paired.events("paired"), paired, "no event paired")
        bonded = await bluez.store()
        expect(bonded != before, "bluetoothd has stored nothing")
        expect_read(await lab.read(meter), meter.records)
        expect(meter.link.is_encrypted and meter.noted("paired") == 1, "the read was not under the first pairing's key")
        expect(await bluez.store() == bonded, "bluetoothd's store has changed")
        expect(bluez.daemon.status is None, bluez.daemon, "bluetoothd has ended")

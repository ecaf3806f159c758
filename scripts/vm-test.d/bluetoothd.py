"""BlueZ's daemon in the guest, for what is read beside it or through it."""

import contextlib
import signal
import sys

from lab import HERE, expect

STORE = "/var/lib/bluetooth"
# The daemon's cache of names and attributes is its own to change.
FINGERPRINT = f"cd {STORE} && find . -type f ! -path '*/cache/*' | sort | xargs -r sha256sum"


class BlueZ:
    """The daemon, and bluetoothctl at its side."""

    def __init__(self, lab, daemon, control):
        self.lab, self.daemon, self.control = lab, daemon, control

    async def say(self, line, wanted=None, seconds=30):
        """Types a line and waits for what bluetoothctl says then."""
        before = len(self.control.out)
        self.control.type(f"{line}\n")
        if wanted:
            await self.control.until(
                lambda program: any(wanted in text for _, text in program.out[before:]), f"{wanted} after {line}", seconds)

    async def store(self):
        """A fingerprint of what the daemon has stored."""
        return (await self.lab.shell(FINGERPRINT)).text

    async def let_go(self, meter):
        """The daemon keeps a meter connected for as long as it likes."""
        # Without an address: by which one the daemon knows a meter that has just told its own is a matter of the moment.
        await self.say("disconnect")
        await meter.until(lambda: meter.connection is None, 20)


@contextlib.asynccontextmanager
async def bluetoothd(lab, agent="NoInputNoOutput"):
    """A system bus and bluetoothd with hci0 powered; both end with the block, and the daemon's store is emptied."""
    await lab.shell("rm -f /run/dbus/*; mkdir -p /run/dbus")
    bus = lab.start([
        *lab.machine.tool("dbus-daemon"), f"--config-file={HERE / 'guest/system-bus.conf'}", "--nofork", "--print-address"])
    await bus.until(lambda program: program.out, "the bus", 20)
    daemon = lab.start([*lab.machine.tool("bluetoothd"), "-n"])
    bluez = BlueZ(lab, daemon, None)
    try:
        # bluetoothctl that comes while the daemon is still starting registers no agent.
        await daemon.until(lambda program: "interface" in program.error_text, "bluetoothd", 30)
        await lab.pause(1)
        bluez.control = lab.start([*lab.machine.tool("bluetoothctl"), f"--agent={agent}"])
        await bluez.control.until(lambda program: "Agent registered" in program.text, "an agent", 30)
        await bluez.say("default-agent", "Default agent request successful")
        # With several adapters the daemon takes the last one for its default.
        await bluez.say(f"select {lab.adapters[0].address}")
        await bluez.say("power on", "Changing power on succeeded")
        yield bluez
    finally:
        for program in filter(None, (bluez.control, daemon, bus)):
            program.send(signal.SIGTERM)
            await program.ended(10)
        await lab.shell(f"rm -rf {STORE}/*")


async def bleak(lab, *meters, status=0, seconds=90):
    """Reads meters with bleak, each as NAME=UUID,UUID; returns what it says of each."""
    program = await lab.start([sys.executable, HERE / "bleak_read.py", *meters]).ended(seconds)
    expect(program.status == status, program)
    return {said["meter"]: said for said in program.objects}

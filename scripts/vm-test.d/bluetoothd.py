"""BlueZ's daemon in the guest, for what is read beside it or through it."""

import contextlib
import signal
import sys

from lab import HERE, expect

GUEST = HERE / "guest"
STORE = "/var/lib/bluetooth"


@contextlib.asynccontextmanager
async def bluetoothd(lab):
    """A system bus and bluetoothd with the adapter powered; both end with the block, and the daemon's store is emptied."""
    await lab.shell("rm -f /run/dbus/*; mkdir -p /run/dbus")
    bus = lab.start([*lab.machine.tool("dbus-daemon"), f"--config-file={GUEST / 'system-bus.conf'}", "--nofork", "--print-address"])
    await bus.until(lambda program: program.out, "the bus", 20)
    daemon = lab.start([*lab.machine.tool("bluetoothd"), "-n"])
    try:
        await control(lab, "power on", "Changing power on succeeded")
        yield daemon
    finally:
        for program in (daemon, bus):
            program.send(signal.SIGTERM)
            await program.ended(10)
        await lab.shell(f"rm -rf {STORE}/*")


async def control(lab, command, wanted, *before, seconds=40):
    """Gives bluetoothctl a command and waits for what it says."""
    program = lab.start(lab.machine.tool("bluetoothctl"))
    await program.until(lambda program: "Agent registered" in program.text, "bluetoothctl", 20)
    for line in [*before, command]:
        program.type(f"{line}\n")
    await program.until(lambda program: wanted in program.text, wanted, seconds)
    return program


async def bleak(lab, *meters, status=0, seconds=90):
    """Reads meters with bleak, each as NAME=UUID,UUID; returns what it says of each."""
    program = await lab.start([sys.executable, HERE / "bleak_read.py", *meters]).ended(seconds)
    expect(program.status == status, program)
    return {said["meter"]: said for said in program.objects}

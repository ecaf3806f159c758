"""Delivery over a message server of a fleet, for scripts/soak: nats-server with the configuration that `fleet config` writes, and the receiver's
program that takes from it. Both are killed like everything else."""
import asyncio
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fleet-test.d"))
sys.dont_write_bytecode = True
import fleet  # noqa: E402

GATEWAY = "gw0001"


class FleetDelivery:
    def __init__(self, soak):
        self.soak, self.receiver = soak, None
        self.program = fleet.Program(
            pathlib.Path(soak.program).with_name("meterhost-receiver"), str(soak.folder / "receiver.sqlite"), soak.folder)

    def begin(self):
        """Returns the words of `session start` that say where readings go."""
        token = self.program.make([GATEWAY], ["ada"])["ada"]
        (self.soak.folder / "token").write_text(token + "\n")
        (self.soak.folder / "token").chmod(0o600)
        self.nodes = fleet.Nodes(self.soak.folder, 1)
        asyncio.run(self.nodes.start_all())
        self.program.rows("fleet", "provision", "--replicas", 1, "--size", 256, *self.nodes.options())
        self.start()
        setting = {
            "servers": self.nodes.address(self.nodes.ports[0]), "organization": fleet.ORGANIZATION, "gateway": GATEWAY,
            "key_file": self.soak.folder / f"{GATEWAY}.seed", "ca_file": self.nodes.certificate}
        return ["--kind", "nats"] + [word for name, value in setting.items() for word in ("--set", f"{name}={value}")]

    def start(self):
        """Whatever of it has died."""
        if self.nodes.processes[0].poll() is not None:
            self.nodes.start(0)
        if self.receiver is None or self.receiver.poll() is not None:
            self.receiver = self.program.serve(self.nodes)

    def targets(self):
        """What may be killed in the middle."""
        return [self.receiver, self.nodes.processes[0]]

    def flush(self):
        """Waits until everything is delivered. What a receiver had that was killed comes again after half a minute, and a gateway sends what
        nobody has confirmed after one."""
        end = time.monotonic() + 600
        while self.soak.waiting():
            self.start()
            flushed = self.soak.command(["queue", "flush"])
            if time.monotonic() > end:
                return print(f"soak: the queue does not drain: {flushed.stderr}", file=sys.stderr)
            time.sleep(5)

    def stop(self):
        fleet.end(self.receiver)
        self.nodes.end()

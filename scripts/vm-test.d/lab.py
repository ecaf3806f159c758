"""What a scenario works with: the guest, its adapters, the peripherals on the air, and the host program."""

import asyncio
import inspect
import pathlib
import signal
import time

from air import Adapter, Air
from machine import Failure, Machine

HERE = pathlib.Path(__file__).resolve().parent
NOBODY = 65534
SCENARIOS = {}


def scenario(function=None, *, seconds=90, adapters=1, quick=False):
    """Makes a function a scenario. Its name is that of the function with hyphens, its first line what it shows.

    It is stopped after `seconds`. Those that are `quick` prove together that the whole path works, for every change."""
    def make(function):
        name = function.__name__.replace("_", "-")
        SCENARIOS[name] = {
            "run": function, "about": inspect.getdoc(function).splitlines()[0], "seconds": seconds, "adapters": adapters,
            "quick": quick}
        return function
    return make(function) if function else make


def expect(condition, *what):
    if not condition:
        raise Failure(" ".join(str(part) for part in what))


class Lab:
    """One for each scenario: a state folder of its own, adapters that were just plugged in, an empty air."""

    def __init__(self, name, machine, air, adapters):
        self.name, self.machine, self.air, self.adapters = name, machine, air, adapters
        self.state, self.peripherals, self.attached, self.started = f"/run/state/{name}", [], {}, []

    # Adapters.

    async def plug(self, number=0):
        """Plugs an adapter in; the kernel brings it up by its own serial driver."""
        self.adapters[number].plug()
        self.attached[number] = self.machine.start(
            self.machine.tool("btattach") + ["-B", f"/dev/ttyS{number + 1}", "-P", "h4", "-S", "115200", "-N"])
        await self.there(number, True)

    async def unplug(self, number=0):
        """Takes an adapter out, whatever it is doing."""
        self.adapters[number].unplug()
        if program := self.attached.pop(number, None):
            program.send(signal.SIGTERM)
            await program.ended(10)
        await self.there(number, False)

    async def there(self, number, is_there):
        test = "-e" if is_there else "! -e"
        await self.machine.run(
            ["bash", "-c", f"for i in $(seq 100); do [ {test} /sys/class/bluetooth/hci{number} ] && exit; sleep .05; done; exit 1"],
            expect=0)

    # The air.

    async def put(self, *peripherals):
        """Puts peripherals on the air."""
        for peripheral in peripherals:
            await peripheral.start(self.air)
            self.peripherals.append(peripheral)
        return peripherals[0]

    async def take_away(self, peripheral):
        await peripheral.stop()
        self.peripherals.remove(peripheral)

    # Programs.

    def start(self, arguments, **options):
        program = self.machine.start(arguments, **options)
        self.started.append(program)
        return program

    def meterhost(self, *arguments, adapter=0, state=None, json=True, user=None, environment=None):
        """Starts the host program, with the scenario's state folder."""
        words = ["/run/meterhost/bin/meterhost", *map(str, arguments)]
        if adapter is not None:
            words += ["--adapter", f"hci{adapter}"]
        if json:
            words.append("--json")
        return self.start(words, user=user, environment={
            "METERHOST_STATE": state or self.state, "METERHOST_LOG": "bluetooth=trace", "HOME": "/run",
            **(environment or {})})

    async def ask(self, *arguments, status=0, seconds=60, **options):
        """Runs the host program to its end."""
        program = await self.meterhost(*arguments, **options).ended(seconds)
        if status is not None:
            expect(program.status == status, program, f"not status {status}")
        return program

    async def read(self, peripheral, *more, status=0, seconds=60, **options):
        """One read of a peripheral on the air."""
        return await self.ask(
            "read", peripheral.catalogue_id, "--allow", self.address(peripheral), "--trust-clock", "--no-upload", "--timeout", 30,
            *more, status=status, seconds=seconds, **options)

    async def pair(self, peripheral, *more, answers=None, status=0, **options):
        if answers is not None:
            more = (*more, "--answers", await self.file("answers", "".join(f"{answer}\n" for answer in answers)))
        return await self.ask(
            "pair", peripheral.catalogue_id, "--allow", self.address(peripheral), "--timeout", 30, *more, status=status, **options)

    async def file(self, name, text):
        """A file in the guest that nobody else may read."""
        path = f"/run/{self.name}-{name}"
        await self.machine.run(["bash", "-c", f"umask 077; cat > {path} <<'END'\n{text}END\n"], expect=0)
        return path

    async def shell(self, script, status=0, **options):
        return await self.machine.run(["bash", "-c", script], expect=status, **options)

    @staticmethod
    async def pause(seconds):
        """Time in which something must not happen, or a person would do something."""
        await asyncio.sleep(seconds)

    @staticmethod
    def address(peripheral):
        """The address that the peripheral has now, as the host program takes it."""
        return str(peripheral.device.random_address)[:17]

    async def clean(self):
        for program in self.started:
            if program.status is None:
                program.kill()
        for number in list(self.attached):
            self.adapters[number].unplug()
            self.attached[number].send(signal.SIGKILL)
        for program in [*self.started, *self.attached.values()]:
            try:
                await program.ended(5)
            except Failure:
                pass
        for number in list(self.attached):
            await self.there(number, False)
        await self.clear_air()
        await self.machine.run(["rm", "-rf", self.state])

    async def clear_air(self):
        """Takes away what is outside of the guest."""
        for number in self.attached:
            self.adapters[number].unplug()
        for peripheral in list(self.peripherals):
            await peripheral.stop()
        self.peripherals, self.attached, self.started, self.air.interval = [], {}, [], 0.0


class Bench:
    """The machine and the air, for one scenario after the other."""

    def __init__(self, options):
        self.options, self.air = options, Air()
        self.machine = Machine(options.guest, options.installation, options.verbose)
        self.adapters = [Adapter(self.air, number) for number in range(2)]

    async def begin(self):
        for adapter in self.adapters:
            await adapter.listen(self.machine.socket(f"hci{adapter.number}"))
        await self.machine.boot(len(self.adapters))

    async def lab(self, name, adapters=1):
        lab = Lab(name, self.machine, self.air, self.adapters)
        for number in range(adapters):
            await lab.plug(number)
        return lab

    async def run(self, name):
        """Runs a scenario, and once more in a new guest when it failed while the guest's kernel did.

        Returns its seconds and what is wrong, or nothing."""
        began = time.monotonic()
        problem = await self.attempt(name)
        if problem and (crash := self.machine.crash):
            print(f"again            {name}, in a new guest, because this one's kernel failed: {crash}", flush=True)
            await self.boot_again()
            problem = await self.attempt(name)
        # A kernel that has failed is not to be met by the next scenario, whose fault it is not.
        if self.machine.crash:
            await self.boot_again()
        return time.monotonic() - began, problem

    async def attempt(self, name):
        """Returns what is wrong, or nothing."""
        about, lab, problem = SCENARIOS[name], None, None
        try:
            async with asyncio.timeout(about["seconds"]):
                lab = await self.lab(name, about["adapters"])
                await about["run"](lab)
        except TimeoutError:
            problem = f"took longer than {about['seconds']} s"
        except (Failure, OSError) as error:
            problem = str(error)
        if lab:
            if problem and self.options.verbose:
                for program in lab.started:
                    problem += f"\n      {program}"
            await self.tidy(lab)
        return problem

    async def tidy(self, lab):
        """Clears up behind a scenario, as far as the guest still obeys."""
        if not self.machine.crash:
            try:
                return await lab.clean()
            except Failure:
                # The last sockets are closed here, which may be what the kernel fails over.
                if not self.machine.crash:
                    raise
        await lab.clear_air()

    async def boot_again(self):
        for adapter in self.adapters:
            adapter.unplug()
        await self.machine.boot_again(len(self.adapters))

    async def end(self):
        await self.machine.stop(self.options.keep)

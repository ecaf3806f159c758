"""The guest: Debian's kernel in QEMU, and the programs that run in it."""

import asyncio
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# SMP asks for its ciphers by name, so that no module lists them: without drbg the key exchange has no random numbers and pairing
# fails long after the boot. The last two algif are bluetoothd's.
MODULES = [
    "virtio_console", "sha512_generic", "ctr", "drbg", "ecb", "cmac", "ecdh_generic", "algif_hash", "algif_skcipher", "bluetooth",
    "hci_uart"]
PACKAGES = ["bluez", "dbus-daemon", "v4l-utils"]
LIBRARIES = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"]
# Of the installation, what runs; the bundles stay as they are, since the registry names their hashes.
PROGRAMS = ["bin/meterhost", "bin/meterhost-receiver", "libexec/meterhost/meterhost-worker"]
# What x86 prints when the kernel itself has failed: "Oops: 0002 [#1] ...", "general protection fault, ...: 0000 [#1] ...". A
# program's own fault has no number.
CRASH = re.compile(r"^.*(?:: [0-9a-f]{4} \[#\d+\]|Kernel panic).*$", re.MULTILINE)


class Failure(Exception):
    """What a scenario expected is not so."""


class Program:
    """A program in the guest: its lines with the guest's time of each, and its end."""

    def __init__(self, machine, name, arguments):
        self.machine, self.name, self.arguments = machine, name, arguments
        self.out, self.err, self.status = [], [], None
        self.changed = asyncio.Event()

    def hear(self, message):
        if "out" in message:
            self.out.append((message["time"], message["out"]))
        if "error" in message:
            self.err.append((message["time"], message["error"]))
        if "exit" in message:
            self.status = message["exit"]
        self.changed.set()
        if self.machine.echoes and (line := message.get("out", message.get("error"))) is not None:
            print(f"    {message['time']:7.1f} {line}", flush=True)

    @property
    def text(self):
        return "\n".join(line for _, line in self.out)

    @property
    def error_text(self):
        return "\n".join(line for _, line in self.err)

    @property
    def objects(self):
        """What it has printed as JSON, one object a line."""
        return [json.loads(line) for _, line in self.out if line.startswith("{")]

    @property
    def error(self):
        """The error of a `--json` command."""
        for _, line in reversed(self.err):
            if line.startswith('{"error"'):
                return json.loads(line)["error"]
        return None

    def events(self, kind):
        return [found for found in self.objects if found.get("event") == kind]

    async def until(self, condition, what, seconds=30):
        """Waits for something that it prints."""
        try:
            async with asyncio.timeout(seconds):
                while not condition(self):
                    if self.status is not None:
                        raise Failure(f"{self}: ended before {what}")
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            raise Failure(f"{self}: {what} did not come in {seconds} s") from None
        return self

    async def event(self, kind, seconds=30):
        await self.until(lambda program: program.events(kind), f"event {kind}", seconds)
        return self.events(kind)[0]

    async def ended(self, seconds=60):
        try:
            async with asyncio.timeout(seconds):
                while self.status is None:
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            self.kill()
            raise Failure(f"{self}: did not end in {seconds} s") from None
        return self

    def send(self, number):
        self.machine.say(id=self.name, signal=int(number))

    def kill(self):
        self.send(signal.SIGKILL)

    def type(self, text):
        self.machine.say(id=self.name, input=text)

    def __str__(self):
        tail = [line for _, line in (self.out + self.err)[-12:]]
        shown = " ".join(str(argument) for argument in self.arguments)
        return "\n      ".join([f"{shown} (status {self.status})", *tail]) + "\n     "


class Machine:
    def __init__(self, guest, installation, is_verbose=False):
        self.guest, self.installation, self.is_verbose, self.echoes = guest, installation, is_verbose, False
        # A socket's path has at most 107 bytes.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="meterhost-vm-"))
        self.numbers, self.programs, self.ready = itertools.count(1), {}, asyncio.Event()
        self.process, self.writer, self.boots = None, None, 0

    def socket(self, name):
        return str(self.folder / name)

    async def boot(self, adapters):
        """Starts the guest with so many serial lines and waits until it obeys."""
        self.boots += 1
        (self.folder / "out").mkdir(exist_ok=True)
        self.stage()
        (self.folder / "out/command").write_text(
            f"exec {sys.executable} {HERE / 'guest/agent.py'} >/dev/ttyS0 2>&1\n")
        server = await asyncio.start_unix_server(self.accept, self.socket("agent"), limit=1 << 24)
        root = self.guest / "root"
        environment, program, extra = dict(os.environ), shutil.which("qemu-system-x86_64"), []
        if not program:
            program = root / "usr/bin/qemu-system-x86_64"
            environment["LD_LIBRARY_PATH"] = ":".join(str(root / library) for library in LIBRARIES)
            extra = ["-L", root / "usr/share/qemu", "-L", root / "usr/share/seabios"]
        # Emulated, one processor without AVX is the quickest: a second one doubles the time of the boot, and wide vectors cost more
        # than they save.
        accelerator = "kvm" if os.access("/dev/kvm", os.R_OK | os.W_OK) and os.environ.get("VM_TEST_KVM") else "tcg,thread=multi"
        self.process = await asyncio.create_subprocess_exec(
            program, *extra, "-M", "q35", "-accel", accelerator, "-cpu", "Westmere", "-smp", "1", "-m", "1024", "-nodefaults",
            "-no-reboot", "-display", "none", "-serial", f"file:{self.console_file}",
            "-kernel", self.guest / "kernel", "-initrd", self.guest / "initrd",
            "-append", "console=ttyS0 quiet panic=-1 mitigations=off",
            "-fsdev", "local,id=h,path=/,security_model=none,readonly=on,multidevs=remap",
            "-device", "virtio-9p-pci,fsdev=h,mount_tag=host",
            "-fsdev", f"local,id=o,path={self.folder / 'out'},security_model=none",
            "-device", "virtio-9p-pci,fsdev=o,mount_tag=out", "-device", "virtio-rng-pci",
            "-chardev", f"socket,id=agent,path={self.socket('agent')}", "-device", "virtio-serial-pci",
            "-device", "virtserialport,chardev=agent,name=agent",
            *itertools.chain.from_iterable(
                ["-chardev", f"socket,id=hci{number},path={self.socket(f'hci{number}')}", "-serial", f"chardev:hci{number}"]
                for number in range(adapters)),
            env=environment, stdin=asyncio.subprocess.DEVNULL,
            stdout=None if self.is_verbose else asyncio.subprocess.DEVNULL, stderr=None)
        ended = asyncio.ensure_future(self.process.wait())
        ready = asyncio.ensure_future(self.ready.wait())
        await asyncio.wait([ended, ready], timeout=120, return_when=asyncio.FIRST_COMPLETED)
        if not self.ready.is_set():
            raise Failure(f"the guest did not start:\n{self.console()}")
        server.close()
        await self.prepare()

    async def boot_again(self, adapters):
        """Throws the guest away, with all that runs in it, and starts another."""
        await self.halt()
        self.programs.clear()
        self.ready.clear()
        await self.boot(adapters)

    def stage(self):
        """A copy of the installation without debug symbols: a debug build of 100 MB and more is slow to start over the share."""
        staged = self.folder / "installation"
        if staged.exists() or not self.installation.is_dir() or not (strip := shutil.which("strip")):
            return
        shutil.copytree(self.installation, staged)
        for program in PROGRAMS:
            if (staged / program).exists():
                # What cannot be stripped runs as it is.
                subprocess.run([strip, "--strip-debug", staged / program], stderr=subprocess.DEVNULL)

    @property
    def installed(self):
        """The installation that the guest sees."""
        staged = self.folder / "installation"
        return staged if staged.exists() else self.installation

    @property
    def console_file(self):
        """One for each boot: QEMU empties the file that it opens."""
        return self.folder / ("console" if self.boots < 2 else f"console-{self.boots}")

    def console(self):
        return self.console_text()[-3000:]

    def console_text(self):
        return self.console_file.read_text(errors="replace") if self.console_file.exists() else ""

    @property
    def crash(self):
        """What the guest's kernel said first when it failed, since it was booted; or nothing."""
        found = CRASH.search(self.console_text())
        return found and found.group().strip()

    async def prepare(self):
        """The guest's folders: the installation where every user may see it, and a system bus."""
        script = f"""set -e
mkdir -p /run/meterhost /run/state /run/dbus /run/lock /var/lib/bluetooth /dev/shm
chmod 755 /run /run/meterhost
mount -t tmpfs memory /dev/shm
[ ! -d {self.installed} ] || mount --bind {self.installed} /run/meterhost
"""
        await self.run(["bash", "-c", script], expect=0)

    async def accept(self, reader, writer):
        self.writer = writer
        while line := await reader.readline():
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if message.get("ready"):
                self.ready.set()
            elif program := self.programs.get(message.get("id")):
                program.hear(message)

    def say(self, **message):
        self.writer.write(json.dumps(message).encode() + b"\n")

    def environment(self, given):
        root = self.guest / "root"
        folders = ["usr/sbin", "usr/bin", "sbin", "bin", "usr/libexec/bluetooth", "usr/lib/bluetooth"]
        return {
            "PATH": ":".join(
                [f"/{folder}" for folder in folders] + [str(root / folder) for folder in folders]),
            "TZ": "UTC", **(given or {})}

    def start(self, arguments, user=None, environment=None):
        program = Program(self, next(self.numbers), [str(argument) for argument in arguments])
        if self.echoes:
            print(f"    $ {' '.join(program.arguments)[:160]}", flush=True)
        self.programs[program.name] = program
        self.say(id=program.name, start=program.arguments, user=user, environment=self.environment(environment))
        return program

    async def run(self, arguments, user=None, environment=None, seconds=60, expect=None):
        program = await self.start(arguments, user, environment).ended(seconds)
        if expect is not None and program.status != expect:
            raise Failure(f"{program}: not status {expect}")
        return program

    def tool(self, name):
        """A program of the unpacked packages; with its libraries where this machine has none."""
        for folder in ["usr/bin", "usr/sbin", "usr/libexec/bluetooth", "usr/lib/bluetooth"]:
            if pathlib.Path("/", folder, name).exists():
                return [f"/{folder}/{name}"]
            if (self.guest / "root" / folder / name).exists():
                libraries = ":".join(str(self.guest / "root" / library) for library in LIBRARIES)
                return ["env", f"LD_LIBRARY_PATH={libraries}", str(self.guest / "root" / folder / name)]
        raise Failure(f"there is no {name}")

    async def halt(self):
        if self.process and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()

    async def stop(self, keeps=False):
        await self.halt()
        if keeps:
            print(f"vm-test: kept {self.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

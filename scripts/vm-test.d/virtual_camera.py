"""The kernel's virtual camera (vivid) in the guest: what is written to its output comes out of its camera.

The first device has an HDMI output that is looped into an HDMI capture, the second is a plain webcam with a test pattern.
"""

import asyncio
import contextlib
import pathlib
import random
import re
import shutil
import subprocess
import zlib

from lab import expect

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OPTIONS = [
    "n_devs=2", "node_types=0x101,0x1", "num_inputs=1,1", "input_types=0x3,0x0", "num_outputs=1,0", "output_types=0x1",
    "multiplanar=1,1"]
CAMERA, OUTPUT, WEBCAM = "/dev/video0", "/dev/video1", "/dev/video2"
WIDTH, HEIGHT = 640, 480


def files_of(root, wanted):
    """A module's file, behind those of the modules that it needs."""
    files = {file.stem.replace("-", "_"): file for file in root.glob("lib/modules/**/*.ko")}
    order = []

    def need(name):
        name = name.replace("-", "_")
        if name not in files or files[name] in order:
            return
        depends = re.search(rb"\0depends=([^\0]*)\0", b"\0" + files[name].read_bytes())
        for other in depends.group(1).decode().split(",") if depends else []:
            need(other)
        order.append(files[name])

    need(wanted)
    return order


class VirtualCamera:
    def __init__(self, lab):
        self.lab, self.machine, self.output = lab, lab.machine, None

    async def load(self):
        root = self.machine.guest / "root"
        files = files_of(root, "vivid")
        expect(files, "the guest's kernel has no vivid")
        busybox = root / "bin/busybox"
        # Those of an earlier scenario are there.
        lines = [f"{busybox} insmod {file} 2>/dev/null || true" for file in files[:-1]]
        await self.lab.shell("\n".join([*lines, f"{busybox} insmod {files[-1]} {' '.join(OPTIONS)}"]))
        await self.lab.shell(f"for i in $(seq 100); do [ -e {WEBCAM} ] && exit; sleep .1; done; exit 1")

    async def stage(self):
        """Puts the program that takes pictures where every user of the guest may run it; without debug symbols, with which it
        is slow to start."""
        staged = self.machine.folder / "camera-probe"
        if not staged.exists():
            built = ROOT / ".build/debug/camera-probe"
            expect(built.exists(), "there is no camera-probe; run swift build --product camera-probe")
            shutil.copy(built, staged)
            subprocess.run(["strip", "--strip-debug", staged], stderr=subprocess.DEVNULL)
        await self.lab.shell(f"mkdir -p /run/probe && cp {staged} /run/probe/ && chmod -R 755 /run/probe")

    async def unload(self):
        await self.machine.run(["bash", "-c", f"{self.machine.guest / 'root/bin/busybox'} rmmod vivid"])

    async def control(self, *arguments):
        return await self.machine.run([*self.machine.tool("v4l2-ctl"), *arguments], expect=0)

    async def play(self, frames, code):
        """Lets pictures in a format come out of the camera, over and over."""
        for device in [OUTPUT, CAMERA]:
            await self.control("-d", device, "--set-dv-bt-timings", "index=0")
        size = f"width={WIDTH},height={HEIGHT},pixelformat={code}"
        await self.control("-d", OUTPUT, "--set-fmt-video-out", size)
        await self.control("-d", CAMERA, "--set-fmt-video", size)
        await self.control("-d", CAMERA, "-c", "loop_video=1")
        # No text of the driver over the pictures.
        await self.control("-d", CAMERA, "-c", "osd_text_mode=2")
        file = self.machine.folder / "out/frames.yuv"
        file.write_bytes(b"".join(frames))
        self.output = self.lab.start([
            *self.machine.tool("v4l2-ctl"), "-d", OUTPUT, "--stream-out-mmap", "--stream-from", "/vm/frames.yuv",
            "--stream-loop", "--stream-count", "100000"])
        # Until the first picture is out, the camera shows noise.
        await asyncio.sleep(2)


@contextlib.asynccontextmanager
async def virtual_camera(lab):
    camera = VirtualCamera(lab)
    await camera.stage()
    await camera.load()
    try:
        yield camera
    finally:
        for program in lab.started:
            if program.status is None:
                program.kill()
                await program.ended(10)
        await camera.unload()


def pictures(count, width, seed=7):
    """Pictures of any bytes, `width` a pixel with the luma first, and the CRC of the luma of each."""
    generator = random.Random(seed)
    frames = [generator.randbytes(WIDTH * HEIGHT * width) for _ in range(count)]
    return frames, [zlib.crc32(frame[::width]) for frame in frames]


def probe(lab, *arguments, user=None):
    """Starts the program that takes pictures."""
    return lab.start(["/run/probe/camera-probe", *arguments], user=user, environment={"HOME": "/run"})

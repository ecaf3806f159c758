"""A camera of the kernel: its pictures come as they were sent, and each of its ends is told apart."""

from lab import NOBODY, expect, scenario
from virtual_camera import CAMERA, HEIGHT, OUTPUT, WEBCAM, WIDTH, pictures, probe, virtual_camera


def expect_code(program, code, *words):
    expect(program.status == 1, program, "not status 1")
    error = program.objects[-1]
    expect(error.get("code") == code and all(word in error["message"] for word in words), program, "the error is not", code)


@scenario(seconds=240, adapters=0, quick=True)
async def camera_bit_for_bit(lab):
    """What goes into the virtual camera comes out of it, bit for bit, at 640 x 480."""
    await bit_for_bit(lab, pictures(3, width=2), "YUYV", "yuyv")


@scenario(seconds=240, adapters=0)
async def camera_grey(lab):
    """So does what goes in as grey levels."""
    await bit_for_bit(lab, pictures(3, width=1), "GREY", "grey")


async def bit_for_bit(lab, played, code, asked):
    frames, sums = played
    async with virtual_camera(lab) as camera:
        await camera.play(frames, code)
        program = await probe(lab, CAMERA, 12, asked).ended(150)
        expect(program.status == 0, program, "failed")
        taken = [found for found in program.objects if "crc" in found]
        expect(len(taken) == 12 and all(found["width"] == WIDTH and found["height"] == HEIGHT for found in taken), program)
        wrong = [found for found in taken if found["crc"] not in sums]
        expect(not wrong, program, "pictures that nobody sent:", wrong)
        expect(len({found["crc"] for found in taken}) > 1, program, "the same picture came all the time")
        moments = [found["moment"] for found in taken]
        expect(moments == sorted(set(moments)), program, "the moments do not go forward")


@scenario(seconds=120, adapters=0)
async def camera_list(lab):
    """Cameras are listed with their names; outputs are none; without a device the first camera is taken."""
    async with virtual_camera(lab) as _:
        listed = (await probe(lab, "list").ended(30)).objects
        expect([found["camera"] for found in listed] == [CAMERA, WEBCAM] and all(found["name"] for found in listed), listed)
        expect_code(await probe(lab, OUTPUT, 1).ended(30), "not_a_camera")
        expect_code(await probe(lab, "/dev/video9", 1).ended(30), "camera_not_found")
        program = await probe(lab, WEBCAM, 20).ended(60)
        expect(program.status == 0 and sum("crc" in found for found in program.objects) == 20, program, "no 20 pictures")


@scenario(seconds=120, adapters=0)
async def camera_busy(lab):
    """A camera that another program uses is busy, and free as soon as that ends."""
    async with virtual_camera(lab) as _:
        first = probe(lab, WEBCAM, 100000)
        await first.until(lambda program: program.objects, "a picture")
        expect_code(await probe(lab, WEBCAM, 1).ended(30), "camera_busy")
        first.kill()
        await first.ended(20)
        again = await probe(lab, WEBCAM, 1).ended(30)
        expect(again.status == 0, again, "the camera is not free again")


@scenario(seconds=120, adapters=0)
async def camera_denied(lab):
    """An account that may not use the camera hears of the group video."""
    async with virtual_camera(lab) as _:
        expect_code(await probe(lab, WEBCAM, 1, user=NOBODY).ended(30), "camera_denied", "group video")
        listed = (await probe(lab, "list", user=NOBODY).ended(30)).objects
        expect(listed and all(found["name"] is None for found in listed), listed, "denied cameras have names")


@scenario(seconds=120, adapters=0, quick=True)
async def camera_unplugged(lab):
    """A camera that is taken away while it is used is gone, at once and without a picture that nobody took."""
    async with virtual_camera(lab) as _:
        program = probe(lab, WEBCAM, 100000)
        await program.until(lambda program: program.objects, "a picture")
        await lab.shell("echo vivid.0 > /sys/bus/platform/drivers/vivid/unbind")
        expect_code(await program.ended(20), "camera_gone")


@scenario(seconds=150, adapters=0)
async def camera_of_the_command(lab):
    """The command says what is wrong with a camera, and that nothing was read."""
    async with virtual_camera(lab) as _:
        for device, code in [(OUTPUT, "not_a_camera"), ("/dev/video9", "camera_not_found")]:
            program = await lab.ask(
                "snap", "read", "--peripheral", 10001, "--camera", device, "--no-submit", adapter=None, status=None)
            expect(program.status not in (0, None), program, "a reading without a camera")
            expect(code in program.error_text, program, "the error is not", code)

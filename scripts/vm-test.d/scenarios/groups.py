"""The kernel counts all that a driver makes it hold, where a control group was handed to the host."""

import hashlib
import json
import pathlib
import shlex
import signal
import subprocess
import sys

from lab import NOBODY, expect, scenario

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
EXAMPLE = ROOT / "docs/examples/scale"
GROUPS = "/sys/fs/cgroup"
OWN = f"{GROUPS}/gateway"
# How a host comes into a group that one may have used before: the kernel lets no process into a group that hands controllers on. Either
# its manager makes it plain again, or the host is started in the leaf that is there.
FRESH = f"rmdir {OWN}/meterhost.* 2>/dev/null; echo '-memory -pids' > {OWN}/cgroup.subtree_control && echo $$ > {OWN}/cgroup.procs && "
AGAIN = f"echo $$ > {OWN}/meterhost.host/cgroup.procs && "
# Each page lies alone in a gibibyte, so the kernel needs two more for its tables. The limits of a process count the page; it was
# only read, so it is no memory either. All of them are more than the group of a driver of one mebibyte may have, by their tables alone.
PAGES = 9000
SPREAD = f"""
#include <sys/mman.h>
#include <sys/time.h>
__attribute__((constructor)) static void spread(void) {{
  struct itimerval never = {{{{0, 0}}, {{0, 0}}}};
  setitimer(ITIMER_PROF, &never, NULL);
  for (unsigned long i = 4; i < 4 + {PAGES}; i++) {{
    const volatile char *page = mmap(
        (void *)(i << 30), 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (page == MAP_FAILED) _exit(9);
    (void)*page;
  }}
}}
"""


def make_bundles(folder):
    """Two bundles of the example scale with their fragments: as it is, and one that spreads pages before it does the same."""
    for name, more in (("honest", ""), ("greedy", SPREAD)):
        place = folder / name / "drivers"
        place.mkdir(parents=True)
        source, library = folder / f"{name}.c", place / "libexample-scale.so"
        source.write_text("#define _GNU_SOURCE\n#include <unistd.h>\n" + (EXAMPLE / "scale.c").read_text() + more)
        subprocess.run(
            ["clang", "-shared", "-fPIC", "-O1", "-w", "-std=gnu11", "-fvisibility=hidden", "-I", ROOT / "SDK/include",
             f"-Wl,--version-script={ROOT / 'SDK/driver.map'}", "-Wl,-z,noexecstack", "-Wl,-z,now", "-o", library, source],
            check=True, capture_output=True)
        fragment = json.loads((EXAMPLE / "scale.json").read_text())
        fragment["drivers"][0]["sha256"] = hashlib.sha256(library.read_bytes()).hexdigest()
        fragment["drivers"][0]["limits"] = {"memory_mib": 1}
        (folder / name / "scale.json").write_text(json.dumps(fragment))


async def prepare(lab):
    """A folder of nobody's with bundles and a meter, and a group that is nobody's, as systemd's `Delegate=memory pids` makes it."""
    shared = lab.machine.folder / "out/groups"
    if not shared.exists():
        make_bundles(shared)
    await lab.shell(f"""set -e
mountpoint -q {GROUPS} || mount -t cgroup2 none {GROUPS}
echo '+memory +pids' > {GROUPS}/cgroup.subtree_control
mkdir {OWN}
chown {NOBODY} {OWN} {OWN}/cgroup.procs {OWN}/cgroup.threads {OWN}/cgroup.subtree_control
mkdir -p {lab.state}/air
cp -r /vm/groups/honest /vm/groups/greedy {EXAMPLE}/meter.json {lab.state}
chown -R {NOBODY} {lab.state}
chmod 700 {lab.state}
""")


def environment(lab, state="state"):
    return {"METERHOST_AIR": f"{lab.state}/air", "METERHOST_STATE": f"{lab.state}/{state}", "METERHOST_LOG": "drivers=info", "HOME": lab.state}


async def host(lab, bundle, enter=""):
    """A running host whose only further driver is this bundle."""
    words = f"exec setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups /run/meterhost/bin/meterhost run --json " + shlex.join(
        ["--fragments", f"{lab.state}/{bundle}"])
    program = lab.start(["bash", "-c", enter + words], environment=environment(lab))
    await program.event("running", 60)
    return program


async def root_host(lab):
    """A running host of root, in a group that is root's and marked as systemd does. Its state and its air are its own."""
    mark = f"import os; os.setxattr({OWN!r}, 'user.delegate', b'1')"
    await lab.shell(f"mkdir {lab.state}/root-air && chown 0:0 {OWN} {OWN}/cgroup.* && {shlex.join([sys.executable, '-c', mark])}")
    program = lab.start(
        ["bash", "-c", f"{FRESH}exec /run/meterhost/bin/meterhost run --json"],
        environment={**environment(lab, "root"), "METERHOST_AIR": f"{lab.state}/root-air"})
    await program.event("running", 60)
    return program


async def in_leaf(lab, program):
    """The host is alone in its leaf, and the group hands on what its workers' groups need."""
    group = await lab.shell(f"cat {OWN}/meterhost.host/cgroup.procs; cat {OWN}/cgroup.subtree_control")
    lines = group.text.split("\n")
    expect(len(lines) == 2 and lines[0] == str(program.events("running")[0]["pid"]), group, program, "not in the leaf")
    expect("memory" in lines[1] and "pids" in lines[1], group, "no controllers are handed on")


async def one_waits(lab):
    """The only group of a worker is that of the one that waits for the next session."""
    await lab.shell(
        f"for i in $(seq 100); do set -- {OWN}/meterhost.worker.*; [ $# = 1 ] && grep -q . $1/cgroup.procs && exit; sleep .1; done; "
        f"grep . {OWN}/meterhost.worker.*/cgroup.procs; exit 1")


async def read(lab):
    meter = lab.meterhost(
        "meter", "run", f"{lab.state}/meter.json", adapter=None, json=False, user=NOBODY, environment=environment(lab))
    await meter.until(lambda program: "advertising" in program.text + program.error_text, "advertising")
    done = await lab.ask(
        "read", 910001, "--allow", "C0:FF:EE:00:51:01", "--trust-clock", "--no-upload", "--timeout", 30, adapter=None, user=NOBODY,
        environment=environment(lab), status=None, seconds=90)
    meter.kill()
    await meter.ended(10)
    return done


async def stop(program):
    program.send(signal.SIGINT)
    await program.ended(20)


@scenario(seconds=300, adapters=0)
async def worker_groups(lab):
    """A driver whose memory no limit of a process counts is ended by its worker's control group, and only there."""
    await prepare(lab)
    try:
        alone = await host(lab, "greedy")
        done = await read(lab)
        # Else the scenario proves nothing: another limit holds it.
        expect(done.status == 0, done, "the greedy driver is ended without a group")
        await stop(alone)

        running = await host(lab, "greedy", FRESH)
        await in_leaf(lab, running)
        done = await read(lab)
        expect(done.error and done.error["code"] == "driver_crashed", done, "the greedy driver goes on")
        expect("more memory" in done.error["message"] and "R16" in done.error["message"], done, "another reason is told")
        expect(running.status is None, running, "the host is gone")
        await lab.shell(f"grep -E '^oom_kill [1-9]' {OWN}/memory.events")
        await one_waits(lab)
        await stop(running)

        running = await host(lab, "honest", AGAIN)
        await in_leaf(lab, running)
        done = await read(lab)
        expect(done.status == 0, done, "an honest driver is not read in a group")
        doctor = await lab.ask("doctor", adapter=None, user=NOBODY, environment=environment(lab), status=None)
        found = [finding for finding in doctor.objects if finding.get("check") == "worker groups"]
        expect(found and "of their own" in found[0]["message"], doctor, "doctor does not see the groups")
        await one_waits(lab)
        await stop(running)

        running = await root_host(lab)
        await in_leaf(lab, running)
        await one_waits(lab)
        await stop(running)
    finally:
        await lab.shell(
            f"find {OWN} -name cgroup.procs -exec cat {{}} + 2>/dev/null | xargs -r kill -9; "
            f"for i in $(seq 50); do find {OWN} -depth -type d -exec rmdir {{}} + 2>/dev/null && exit; sleep .1; done", status=None)

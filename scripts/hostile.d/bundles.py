#!/usr/bin/env python3
"""Hostile bundles: the example scale with an offence put into one of its moments, installed by its hash as if somebody had trusted
it. It takes no host along, stores nothing that it may not, leaves no process and no file, and the meter next to it is read."""

import hashlib
import json
import shutil
import subprocess

from bench import ROOT, Gateway, Part, lines, stop

PROOF = "@PROOF@"
OFFENCES = {
    "nothing": "",
    "segment": "*(volatile int *)8 = 1;",
    "abort": "abort();",
    "exit": "_exit(0);",
    "spin": "for (volatile int i = 0;; i++) {}",
    "sleep": "for (;;) sleep(1000);",
    "recurse": "recurse(1);",
    "allocate": "for (;;) memset(malloc(1 << 20), 1, 1 << 20);",
    "print": 'for (int i = 0; i < 100000; i++) printf("%0100d\\n", i); fflush(stdout);',
    "write a file": f'close(open("{PROOF}", O_CREAT | O_WRONLY, 0600));',
    "start a shell": f'if (system("touch {PROOF}")) {{}}',
    "fork": f'if (fork() == 0) {{ for (;;) sleep(1); }}',
    "a socket": f'if (socket(AF_INET, SOCK_STREAM, 0) >= 0) close(open("{PROOF}", O_CREAT | O_WRONLY, 0600));',
    "kill everybody": "kill(-1, SIGKILL);",
    "kill its parent": "kill(getppid(), SIGKILL);",
    "raise limits": "struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}; setrlimit(RLIMIT_AS, &all); setrlimit(RLIMIT_CPU, &all); for (;;) {}",
    "write to every descriptor": 'for (int d = 3; d < 64; d++) if (write(d, "garbagegarbagegarbagegarbage", 28)) {}',
    "close every descriptor": "for (int d = 0; d < 64; d++) close(d);",
}
QUICK = ["nothing", "segment", "spin", "write a file", "kill its parent", "write to every descriptor"]
HEAD = """#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
__attribute__((noinline)) static int recurse(volatile int depth) { volatile char room[4096]; room[0] = (char)depth; return recurse(depth + 1) + room[0]; }
static int (*volatile use)(volatile int) = recurse;
static void offend(void) { (void)use; %s }
"""
# Where it happens: before the driver is asked anything, when a session opens, and when a reading has come.
PLACES = {
    "constructor": ("", "__attribute__((constructor)) static void construct(void) { offend(); }\n"),
    "opening": ("static int32_t open_session(const mh_host *host, const mh_open *opening, mh_session **out) {", ""),
    "event": ("static int32_t on_indication(const mh_event *event, mh_sink *sink) {", ""),
}


def build(gateway, offence, place):
    """The library, and its fragment in a drop-in folder."""
    source = (ROOT / "docs/examples/scale/scale.c").read_text()
    mark, behind = PLACES[place]
    if mark:
        if mark not in source:
            raise RuntimeError(f"the example has no {mark}")
        source = source.replace(mark, mark + " offend();", 1)
    head = HEAD % OFFENCES[offence].replace(PROOF, str(gateway.folder / "proof"))
    fragments = gateway.folder / "fragments"
    (fragments / "drivers").mkdir(parents=True)
    (gateway.folder / "scale.c").write_text(head + source + behind)
    library = fragments / "drivers/libexample-scale.so"
    subprocess.run(
        ["clang", "-shared", "-fPIC", "-O1", "-w", "-std=gnu11", "-fvisibility=hidden", "-I", ROOT / "SDK/include",
         f"-Wl,--version-script={ROOT / 'SDK/driver.map'}", "-Wl,-z,noexecstack", "-Wl,-z,now", "-o", library,
         gateway.folder / "scale.c"], check=True, capture_output=True)
    fragment = json.loads((ROOT / "docs/examples/scale/scale.json").read_text())
    fragment["drivers"][0]["sha256"] = hashlib.sha256(library.read_bytes()).hexdigest()
    (fragments / "scale.json").write_text(json.dumps(fragment))


def read(gateway, peripheral, script):
    meter = json.loads((ROOT / script).read_text())
    meter["disconnect_after_procedure"] = True
    (gateway.folder / "meter.json").write_text(json.dumps(meter))
    process = gateway.start(["meter", "run", "meter.json"], "advertising")
    done = gateway.run(
        ["read", str(peripheral), "--allow", meter["address"], "--history", "--json", "--timeout", "10", "--silence", "5",
         "--no-upload", "--fragments", str(gateway.folder / "fragments")], limit=180)
    stop(process)
    return done


def offend(part, case):
    offence, place = case
    name = f"{offence} at {place}"
    gateway = Gateway(part, name.replace(" ", "-"))
    build(gateway, offence, place)
    options = ["--fragments", str(gateway.folder / "fragments")]
    gateway.begin("http://127.0.0.1:1")
    listed = gateway.run(["peripherals", "show", "910001", "--json", *options])
    part.check(listed.returncode == 0, f"{name}: the fragment is not taken: {listed.stderr[-300:]}")
    done = gateway.run(["doctor", "--json", *options])
    part.check(len(lines(done.stdout)) > 10, f"{name}: doctor does not come to its end")
    scale = read(gateway, 910001, "docs/examples/scale/meter.json")
    if offence == "nothing":
        part.check(scale.returncode == 0 and len(gateway.queue() or []) == 1, f"{name}: is not read: {scale.stderr[-300:]}")
    part.check(not (gateway.folder / "proof").exists(), f"{name}: has got out")
    gateway.run(["driver", "test", str(gateway.folder / "fragments/drivers/libexample-scale.so"), "--json", *options], limit=300)
    other = read(gateway, 4000, "SDK/meters/thermometer-with-clock.json")
    part.check(other.returncode == 0, f"{name}: the thermometer beside it is not read: {other.stderr[-300:]}")
    left = subprocess.run(["pgrep", "-f", str(gateway.folder)], capture_output=True, text=True).stdout.split()
    part.check(not left, f"{name}: {len(left)} processes are left")
    entries = gateway.queue() or []
    part.check(all(entry["reading"].get("values") for entry in entries), f"{name}: a reading without a value")
    shutil.rmtree(gateway.folder, ignore_errors=True)


def main():
    part = Part("bundles")
    offences = QUICK if part.quick else list(OFFENCES)
    places = ["event"] if part.quick else list(PLACES)
    cases = [(offence, place) for offence in offences for place in places]
    # One at a time on two processors: a driver that spins takes a whole one.
    part.each(cases, lambda case: offend(part, case), at_once=2)
    part.end()


if __name__ == "__main__":
    main()

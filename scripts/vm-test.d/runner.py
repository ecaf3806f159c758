"""The part of scripts/vm-test that needs bumble: runs scenarios, a peripheral of somebody's own, or the benchmark."""

import argparse
import asyncio
import importlib.util
import logging
import pathlib
import sys

import bench
import lab
import scenarios  # noqa: F401: fills lab.SCENARIOS

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scenario", action="append", default=[])
    for name in ["--peripheral", "--bench", "--json"]:
        parser.add_argument(name)
    parser.add_argument("--guests", type=int, default=2)
    parser.add_argument("--installation", type=pathlib.Path, default=ROOT / ".build/meterhost")
    for name in ["--quick", "--list", "--no-build", "--keep"]:
        parser.add_argument(name, action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("command", nargs="*")
    options = parser.parse_args()
    options.guest = ROOT / ".build/vm-test/guest"
    options.installation = options.installation.resolve()
    return options


async def work(options, names, failed):
    """Boots a guest and runs scenarios in it until none is left."""
    table = lab.Bench(options)
    try:
        await table.begin()
        table.machine.echoes = options.verbose
        while names:
            name = names.pop(0)
            seconds, problem = await table.run(name)
            print(f"{'FAILED' if problem else 'passed'}  {seconds:5.1f} s  {name}", flush=True)
            if problem:
                print(f"      {problem}", flush=True)
                failed.append(name)
    finally:
        await table.end()


def chosen(options):
    return [name for name, about in lab.SCENARIOS.items() if about["quick"] or not options.quick]


async def run_scenarios(options):
    names = options.scenario or chosen(options)
    for name in names:
        if name not in lab.SCENARIOS:
            print(f"vm-test: there is no scenario {name}; --list names them", file=sys.stderr)
            return 64
    # The guests share the work; those of the longest first, so that none is left alone with one at the end.
    waiting, failed = sorted(names, key=lambda name: -lab.SCENARIOS[name]["seconds"]), []
    count = 1 if options.verbose else min(options.guests, len(names))
    ends = await asyncio.gather(*(work(options, waiting, failed) for _ in range(count)), return_exceptions=True)
    for problem in filter(None, ends):
        if not isinstance(problem, lab.Failure):
            raise problem
        print(f"vm-test: {problem}", file=sys.stderr)
        return 69
    print(f"{len(names) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def load(path):
    """The peripherals that a script makes: its function `peripherals` returns one or several."""
    specification = importlib.util.spec_from_file_location("own_peripheral", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    made = module.peripherals()
    return made if isinstance(made, (list, tuple)) else [made]


async def own_peripheral(options):
    """Puts somebody's own peripherals on the air and runs commands in the guest: the given one, or what is typed."""
    table = lab.Bench(options)
    await table.begin()
    table.machine.echoes = True
    room = await table.lab("own")
    environment = {"METERHOST_STATE": room.state, "HOME": "/run"}
    script = "PATH=/run/meterhost/bin:$PATH; "
    try:
        await room.put(*load(options.peripheral))
        if options.command:
            program = room.start(["bash", "-c", script + '"$@"', "bash", *options.command], environment=environment)
            return (await program.ended(600)).status
        print("hci0 is there; commands run in the guest, such as `meterhost scan --adapter hci0`. End with Ctrl-D.")
        while line := await asyncio.to_thread(sys.stdin.readline):
            await room.start(["bash", "-c", script + line], environment=environment).ended(600)
        return 0
    finally:
        await room.clean()
        await table.end()


def main():
    options = parse()
    # bumble warns of what real radios do: links that break, peers that go.
    logging.basicConfig(level=logging.WARNING if options.verbose else logging.CRITICAL, format="    bumble: %(message)s")
    if options.list:
        for name in chosen(options):
            about = lab.SCENARIOS[name]
            print(f"{name:28} {'quick' if about['quick'] else '':7} {about['about']}")
        return 0
    if options.peripheral:
        return asyncio.run(own_peripheral(options))
    if options.bench:
        return asyncio.run(bench.run(options))
    return asyncio.run(run_scenarios(options))


if __name__ == "__main__":
    sys.exit(main())

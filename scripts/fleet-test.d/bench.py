"""The measurement of scripts/bench-fleet."""
import argparse
import asyncio
import json
import logging
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import fleet

GOAL = 5000


async def fill(nodes, token, records):
    """Publishes readings to the stream, some hundred at a time."""
    gateway = fleet.Gateway("gw0000", nodes, token)
    await gateway.connect()
    room = asyncio.Semaphore(256)

    async def one(number):
        async with room:
            subject, headers, payload = fleet.message(gateway.name, token, number)
            # Nobody hears the confirmations, which the receiver sends all the same.
            answer = json.loads((await gateway.client.request(subject, payload, timeout=30, headers=headers)).data)
            if "error" in answer:
                raise fleet.Failure(answer["error"]["description"])

    await asyncio.gather(*(one(number) for number in range(records)))
    await gateway.close()


def stored(postgres):
    return int(postgres.query("SELECT count(*) FROM meterhost.record")[0])


async def taken(arguments, folder):
    """One run of the receiver over a stream that is full. Returns its figures, and the database with its rows."""
    postgres = fleet.Postgres(folder / "postgres")
    program = fleet.Program(arguments.program, postgres.address, folder)
    tokens = program.make(["gw0000"], ["user0"])
    nodes = fleet.Nodes(folder, 1)
    # How fast a stream takes messages is not the question.
    nodes.sync = "2m"
    await nodes.start_all()
    program.run("fleet", "provision", "--size", "1024", *nodes.options())
    await fill(nodes, tokens["user0"], arguments.records)
    begun, used = time.monotonic(), postgres.cpu()
    receiver = program.serve(nodes, "--batch", arguments.batch, "--workers", arguments.workers)
    try:
        first = None
        while (count := stored(postgres)) < arguments.records:
            if count and first is None:
                first = (time.monotonic(), count)
            if receiver.poll() is not None or time.monotonic() - begun > 600:
                raise fleet.Failure((folder / "receiver.log").read_text(errors="replace")[-600:])
            await asyncio.sleep(0.02)
        took = time.monotonic() - begun
        figures = {
            "records_per_second": arguments.records / took,
            "receiver_cpu_us": fleet.cpu(receiver.pid) * 1e6 / arguments.records,
            "postgres_cpu_us": (postgres.cpu() - used) * 1e6 / arguments.records,
            "receiver_peak_mib": fleet.peak_mib(receiver.pid),
            "without_start_per_second":
                (arguments.records - first[1]) / (time.monotonic() - first[0]) if first else None,
        }
    finally:
        fleet.end(receiver)
        nodes.end()
    lost, doubled = fleet.count(postgres, range(arguments.records))
    if lost or doubled:
        raise fleet.Failure(f"lost={lost} doubled={doubled}")
    return figures, postgres


def copied(postgres, records, batch):
    """Rows a second of a plain COPY of the same rows into a table with the same indices."""
    columns = ("id, account_number, space, kind, log_id, revision, checksum, content, source_type, start_time, created_at, "
               "updated_at")
    rows = subprocess.run(
        [postgres.programs / "psql", "-h", postgres.folder, "-U", "tester", "-XAtqc",
         f"COPY (SELECT {columns} FROM meterhost.record ORDER BY number) TO STDOUT", "readings"],
        capture_output=True, check=True).stdout.splitlines(keepends=True)
    postgres.query("DROP TABLE IF EXISTS public.copied; "
                   "CREATE TABLE public.copied (LIKE meterhost.record INCLUDING ALL)")
    script = []
    for start in range(0, len(rows), batch):
        # Without BEGIN each statement is a transaction.
        script += [f"COPY public.copied ({columns}) FROM STDIN;\n".encode(), *rows[start:start + batch], b"\\.\n"]
    begun = time.monotonic()
    subprocess.run(
        [postgres.programs / "psql", "-h", postgres.folder, "-U", "tester", "-XAtq", "-v", "ON_ERROR_STOP=1", "readings"],
        input=b"".join(script), check=True, stdout=subprocess.DEVNULL)
    took = time.monotonic() - begun
    if int(postgres.query("SELECT count(*) FROM public.copied")[0]) != records:
        raise fleet.Failure("COPY has not copied all rows")
    return records / took


async def measure(arguments):
    rounds = []
    for _ in range(arguments.rounds):
        with tempfile.TemporaryDirectory(prefix="fleet-", dir="/tmp") as name:
            folder = pathlib.Path(name)
            folder.chmod(0o755)
            figures, postgres = await taken(arguments, folder)
            try:
                figures["copy_per_second"] = copied(postgres, arguments.records, arguments.records)
                figures["copy_in_batches_per_second"] = copied(postgres, arguments.records, arguments.batch)
            finally:
                fleet.end(postgres.process, signal.SIGQUIT)
            rounds.append(figures)
    return {
        name: statistics.median(values) if all(values := [each[name] for each in rounds]) else None for name in rounds[0]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    arguments.program = arguments.program.resolve()
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    try:
        figures = asyncio.run(measure(arguments))
    except fleet.Failure as failure:
        sys.exit(f"bench-fleet: {failure}")
    figures["goal"] = GOAL
    figures["goal_is_met"] = figures["records_per_second"] >= GOAL
    if arguments.json:
        print(json.dumps(figures))
        return
    print(f"{arguments.records} records, batches of {arguments.batch}, {arguments.workers} workers, median of {arguments.rounds}")
    for name, value in figures.items():
        print(f"  {name:28} {value:,.0f}" if isinstance(value, float) else f"  {name:28} {value}")


main()

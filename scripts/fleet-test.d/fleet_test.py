"""The scenarios of scripts/fleet-test."""
import argparse
import asyncio
import contextlib
import logging
import pathlib
import random
import signal
import sys
import tempfile
import time

import fleet

SCENARIOS = {}


def scenario(body):
    SCENARIOS[body.__name__] = body
    return body


class Stage:
    """A fleet with some gateways, each of which has a user of its own."""

    def __init__(self, folder, program, nodes, gateways, size=256, is_encrypted=True):
        self.folder, self.count, self.size, self.is_encrypted = pathlib.Path(folder), nodes, size, is_encrypted
        self.names = [f"gw{index:04}" for index in range(gateways)]
        self.postgres = fleet.Postgres(self.folder / "postgres")
        self.program = fleet.Program(program, self.postgres.address, self.folder)
        self.receivers, self.gateways, self.numbers = [], [], []

    async def begin(self, receivers=1):
        users = [f"user{index:04}" for index in range(min(len(self.names), 100))]
        self.tokens = self.program.make(self.names, users)
        self.nodes = fleet.Nodes(self.folder, self.count, self.is_encrypted)
        await self.nodes.start_all()

        async def provisioned():
            try:
                await asyncio.to_thread(self.provision)
                return True
            except fleet.Failure:
                return False

        await fleet.until("the streams", provisioned)
        for _ in range(receivers):
            self.serve()
        self.gateways = [
            fleet.Gateway(name, self.nodes, self.tokens[users[index % len(users)]]) for index, name in enumerate(self.names)]
        for start in range(0, len(self.gateways), 50):
            await asyncio.gather(*(each.connect() for each in self.gateways[start:start + 50]))

    def provision(self, *options):
        replicas = 3 if self.count == 3 else 1
        return self.program.rows(
            "fleet", "provision", "--replicas", replicas, "--size", self.size, *self.nodes.options(), *options)

    def serve(self):
        self.receivers.append(self.program.serve(self.nodes))

    def kill_receivers(self):
        for each in self.receivers:
            fleet.end(each, signal.SIGKILL)
        self.receivers.clear()

    async def send(self, count, width=64):
        """Every reading of every gateway, so many of each, until they are confirmed."""
        first = len(self.numbers)
        work = [(self.gateways[index % len(self.gateways)], first + index) for index in range(count * len(self.gateways))]
        self.numbers += [number for _, number in work]
        room = asyncio.Semaphore(width)

        async def one(gateway, number):
            async with room:
                word = await gateway.send(number)
                if word not in ("created", "unchanged"):
                    raise fleet.Failure(f"a reading was {word}")

        await asyncio.gather(*(one(gateway, number) for gateway, number in work))

    async def end(self):
        for each in self.gateways:
            with contextlib.suppress(Exception):
                await each.close()
        self.kill_receivers()
        self.nodes.end()
        self.postgres.crash()

    def told(self):
        lost, doubled = fleet.count(self.postgres, self.numbers)
        resends = sum(each.resends for each in self.gateways)
        return lost, doubled, f"readings={len(self.numbers)} resent={resends} lost={lost} doubled={doubled}"


@contextlib.asynccontextmanager
async def stage(program, nodes, gateways, receivers=1, **options):
    with tempfile.TemporaryDirectory(prefix="fleet-", dir="/tmp") as folder:
        pathlib.Path(folder).chmod(0o755)
        each = Stage(folder, program, nodes, gateways, **options)
        try:
            await each.begin(receivers)
            yield each
        except BaseException:
            for log in ("receiver.log", "node0.log"):
                with contextlib.suppress(OSError):
                    print(f"--- {log}", *each.folder.joinpath(log).read_text(errors="replace").splitlines()[-30:], sep="\n", file=sys.stderr)
            raise
        finally:
            await each.end()


@scenario
async def nodes(arguments):
    """Three servers: the stream's leader is killed while readings travel, then two of three."""
    async with stage(arguments.program, 3, 20, receivers=2) as each:
        count = 50 if arguments.quick else 500
        sending = asyncio.create_task(each.send(count))
        for round_number in range(2):
            await fleet.until("some readings", lambda: stored(each) > (round_number + 1) * count * 20 // 4, 600)
            leader = each.nodes.leader()
            gone = [leader] if round_number == 0 else [leader, (leader + 1) % 3]
            for index in gone:
                each.nodes.kill(index)
            await asyncio.sleep(3)
            for index in gone:
                each.nodes.start(index)
        await sending
        return each.told()


def stored(each):
    return int(each.postgres.query("SELECT count(*) FROM meterhost.record")[0])


@scenario
async def between(arguments):
    """The receiver is killed after the commit, and before a confirmation or an acknowledgement has left it."""
    async with stage(arguments.program, 1, 10, receivers=0, is_encrypted=False) as each:
        each.nodes.proxy = fleet.Proxy(each.nodes.ports[0])
        await each.nodes.proxy.start()
        commits = 0
        for _ in range(2 if arguments.quick else 20):
            before = stored(each)
            each.nodes.proxy.is_armed = True
            each.serve()
            sending = asyncio.create_task(each.send(10))
            await asyncio.wait_for(each.nodes.proxy.holds.wait(), 60)
            # What comes again of an earlier round is acknowledged without a commit.
            commits += stored(each) > before
            each.kill_receivers()
            each.nodes.proxy.drop()
            # What was given out comes again after half a minute.
            each.serve()
            await sending
            each.kill_receivers()
            each.nodes.proxy.drop()
        if commits == 0:
            raise fleet.Failure("no round had a commit that nobody heard of")
        return each.told()


@scenario
async def database(arguments):
    """PostgreSQL is killed and started again while readings travel."""
    async with stage(arguments.program, 1, 10) as each:
        sending = asyncio.create_task(each.send(30 if arguments.quick else 300))
        for _ in range(2 if arguments.quick else 5):
            await asyncio.sleep(random.uniform(0.5, 2))
            each.postgres.crash()
            await asyncio.sleep(random.uniform(1, 4))
            each.postgres.start()
        await sending
        return each.told()


@scenario
async def full(arguments):
    """The stream is full: servers refuse, gateways keep what they have, and all of it arrives when there is room."""
    async with stage(arguments.program, 1, 4, receivers=0, size=1) as each:
        # All at once: without a receiver nothing is confirmed.
        sending = asyncio.create_task(each.send(400, width=1600))
        await fleet.until("a stream that is full", lambda: any(gateway.refusals for gateway in each.gateways), 120)
        each.size = 64
        results = each.provision("--update")
        if [result["outcome"] for result in results] != ["updated", "unchanged", "unchanged"]:
            raise fleet.Failure(f"provision --update: {results}")
        each.serve()
        await sending
        return each.told()


@scenario
async def denied(arguments):
    """A gateway can neither speak as another nor hear it, and cannot file readings under a user whose token it has not got."""
    async with stage(arguments.program, 1, 2) as each:
        await each.send(5)
        stranger, other = each.gateways
        heard = []

        async def hear(said):
            heard.append(said)

        for subject in (f"mh.{fleet.ORGANIZATION}.{other.name}.c", f"_INBOX.{other.name}.>", "_INBOX.main.>", "mh.>"):
            await stranger.client.subscribe(subject, cb=hear)
        before = stored(each)
        _, headers, payload = fleet.message(other.name, stranger.token, 10_000)
        await stranger.client.publish(f"mh.{fleet.ORGANIZATION}.{other.name}.r.measurements", payload, headers=headers)
        for subject in ("$JS.API.STREAM.DELETE.READINGS", "$JS.API.CONSUMER.MSG.NEXT.READINGS.postgres", "mh.clinic.gw0001.cmd"):
            await stranger.client.publish(subject, b"{}", reply=f"_INBOX.{stranger.name}.x")
        # A user whose token it does not know.
        liar = fleet.Gateway(stranger.name, each.nodes, "x" * 64)
        await liar.connect()
        if await liar.send(10_001) != "unauthorized":
            raise fleet.Failure("a reading without a token was taken")
        await each.send(5)
        await liar.close()
        if stored(each) != before + 10 or heard:
            raise fleet.Failure(f"stored {stored(each) - before} of 10, heard {len(heard)}")
        await stranger.say({"pending": 3, "held": 1, "dead": 0, "version": "1.0.0"})
        words = {row["name"]: row.get("last_word") for row in each.program.rows("fleet", "list", *each.nodes.options())}
        if words[stranger.name]["pending"] != 3 or words[other.name] is not None:
            raise fleet.Failure(f"fleet list: {words}")
        return each.told()


@scenario
async def gateways(arguments):
    """As many gateways as a clinic has: the receiver's rate and memory."""
    count = 100 if arguments.quick else arguments.gateways
    async with stage(arguments.program, 1, count) as each:
        receiver = each.receivers[0]
        begun, processor = time.monotonic(), fleet.cpu(receiver.pid)
        await each.send(20, width=512)
        took = time.monotonic() - begun
        lost, doubled, words = each.told()
        rate = len(each.numbers) / took
        used = (fleet.cpu(receiver.pid) - processor) * 1e6 / len(each.numbers)
        return lost, doubled, (
            f"gateways={count} {words} rate={rate:.0f}/s receiver_cpu={used:.0f}us/reading "
            f"receiver_peak={fleet.peak_mib(receiver.pid):.0f}MiB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--gateways", type=int, default=1000)
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, []], metavar="SCENARIO")
    arguments = parser.parse_args()
    arguments.program = arguments.program.resolve()
    # What asyncio says of TLS at the end of each connection.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    failed = False
    for name in arguments.scenarios or SCENARIOS:
        begun = time.monotonic()
        try:
            lost, doubled, words = asyncio.run(SCENARIOS[name](arguments))
        except fleet.Failure as failure:
            lost, doubled, words = 1, 0, f"failed: {failure}"
        failed = failed or lost > 0 or doubled > 0
        print(f"{name}: {words} seconds={time.monotonic() - begun:.0f}", flush=True)
    sys.exit(1 if failed else 0)


main()

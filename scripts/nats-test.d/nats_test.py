"""A gateway's readings on their way through a real cluster of NATS. Each part says what it has done; at the end everything is counted."""

import argparse
import collections
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import uuid

from cluster import GATEWAY, ORGANIZATION, Cluster
from receiver import Receiver

TOKEN = "nats-test-token-0123456789abcdef"
WINDOW = datetime.timedelta(seconds=110)


class Host:
    """`meterhost run`, and commands beside it."""

    def __init__(self, program, folder):
        self.program, self.folder = str(pathlib.Path(program).resolve()), folder
        self.environment = dict(
            os.environ, TZ="UTC", HOME=str(folder), METERHOST_STATE=str(folder / "state"), METERHOST_AIR=str(folder / "air"),
            METERHOST_LOG="critical")
        self.names, self.moment, self.process = [], datetime.datetime(2024, 1, 1), None

    def command(self, *arguments, **options):
        return subprocess.run(
            [self.program, *arguments], env=self.environment, capture_output=True, text=True, cwd=self.folder, timeout=300,
            **options)

    def ask(self, *arguments, **options):
        done = self.command(*arguments, "--json", **options)
        assert done.returncode == 0, f"meterhost {' '.join(arguments)} ends with {done.returncode}: {done.stderr}"
        return [json.loads(line) for line in done.stdout.splitlines()]

    def begin(self, cluster):
        token = self.folder / "token"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        setting = {
            "servers": cluster.addresses, "organization": ORGANIZATION, "gateway": GATEWAY, "key_file": cluster.gateway.file,
            "ca_file": cluster.authority}
        self.ask(
            "session", "start", "--user", "ada", "--organization", ORGANIZATION, "--kind", "nats", "--token-file", str(token),
            *(argument for name, value in setting.items() for argument in ("--set", f"{name}={value}")))
        self.process = subprocess.Popen(
            [self.program, "run", "--json"], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            cwd=self.folder)
        assert self.process.stdout.readline(), "meterhost run has ended"

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=60)

    def submit(self, count):
        """Records under names of their own; they are on disk when this is over."""
        drafts = []
        for _ in range(count):
            self.moment += datetime.timedelta(minutes=1)
            self.names.append(str(uuid.uuid4()))
            drafts.append({
                "log_id": self.names[-1], "type": "weight", "time": self.moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "values": [{"metric": "body_weight", "value": "70.5", "unit": "kg"}]})
        self.ask("submit", "record", "-", "--no-upload", input="\n".join(map(json.dumps, drafts)))

    def waiting(self):
        """How many readings are not delivered, and why the last attempt has failed."""
        sink = self.ask("sink", "show", "inform")[0]
        count = sum(count for state, count in sink["queue"].items() if state in ("pending", "in_flight"))
        return count, (sink.get("last_error") or {}).get("text", "")

    def flush(self):
        self.command("queue", "flush")


def wait(what, is_there, seconds=300, pace=0.2):
    end = time.monotonic() + seconds
    while not is_there():
        assert time.monotonic() < end, f"in {seconds} seconds never: {what}"
        time.sleep(pace)


class Test:
    def __init__(self, options, folder):
        self.folder, self.readings = folder, options.readings
        self.cluster, self.host = Cluster(folder), Host(options.program, folder)
        self.cluster.start()
        self.cluster.await_listening()
        self.receiver = Receiver(self.cluster, folder / "receiver.sqlite", TOKEN)
        self.receiver.make_stream()
        self.receiver.begin()
        self.host.begin(self.cluster)

    def say(self, text):
        print(f"nats-test: {text}", flush=True)

    def await_empty(self, seconds=300):
        # What waits for a later attempt is tried at once, as a person does who knows that everything is back.
        def is_empty():
            self.host.flush()
            return self.host.waiting()[0] == 0

        wait("the queue is empty", is_empty, seconds, pace=1)

    def await_error(self, words):
        self.host.flush()
        wait(f"the queue says: {words}", lambda: words in self.host.waiting()[1], 120)

    def leader(self):
        began = time.monotonic()
        for part in range(10):
            self.host.submit(self.readings // 10)
            if part == 5:
                leader = self.receiver.leader()
                self.cluster.kill(leader)
                self.say(f"leader n{leader} killed with {len(self.receiver.stored())} readings stored")
        self.await_empty(600)
        self.cluster.start()
        self.say(f"leader: {self.readings} readings in {time.monotonic() - began:.0f} s")

    def two_down(self):
        self.cluster.kill(0)
        self.cluster.kill(1)
        self.host.submit(200)
        self.host.flush()
        waiting, why = self.host.waiting()
        assert waiting > 0, "a stream that has lost two of three servers has taken readings"
        self.cluster.start()
        self.await_empty()
        self.say(f"two of three down: {waiting} readings waited ({why})")

    def full(self):
        self.receiver.bound_stream(room=50)
        self.host.submit(200)
        self.await_error("takes no more")
        wait("150 of 200 readings wait for room", lambda: self.host.waiting()[0] == 150, 120)
        why = self.host.waiting()[1]
        self.receiver.bound_stream(None)
        self.await_empty()
        self.say(f"stream full: 150 readings waited ({why})")

    def denied(self):
        self.cluster.permit("another")
        self.cluster.reload()
        self.host.submit(50)
        self.await_error("does not let this key")
        waiting, why = self.host.waiting()
        assert waiting == 50, f"{waiting} of 50 readings wait"
        self.cluster.permit()
        self.cluster.reload()
        self.await_empty()
        self.say(f"permission denied: 50 readings waited ({why})")

    def receiver_away(self):
        """The stream has them, and that is not enough. What was meant to be said of half of them is lost, so that they are sent again:
        within the stream's window that comes to nothing, and later the receiver says that it has them."""
        self.receiver.end()
        self.host.submit(100)
        wait("the stream has them", lambda: self.receiver.info().state.messages >= len(self.host.names))
        waiting, _ = self.host.waiting()
        assert waiting == 100, f"{waiting} of 100 readings wait for their receiver"
        self.receiver.losing = 50
        self.receiver.begin()
        wait("half of them are delivered", lambda: self.host.waiting()[0] == 50, 60)
        wait("what was not confirmed was sent again", lambda: self.host.waiting()[0] == 0, 600, pace=2)
        self.say("receiver away: 100 readings waited for its word, 50 of them twice")

    def count(self):
        stored = collections.Counter(name for name, _ in self.receiver.stored())
        lost = set(self.host.names) - set(stored)
        foreign = set(stored) - set(self.host.names)
        doubled = sum(count - 1 for count in stored.values())
        # A stream never has two messages of one name within its window.
        seen, repeated = {}, 0
        for name, moment in self.receiver.messages():
            if name in seen:
                repeated += 1
                doubled += moment - seen[name] < WINDOW
            seen[name] = moment
        for what, names in [("lost", lost), ("of nobody", foreign), ("unproved", self.receiver.unproved)]:
            if names:
                self.say(f"{what}: {' '.join(sorted(names)[:20])}")
        self.say(f"{len(seen)} names in the stream, {repeated} of them again after its window")
        print(f"readings={len(self.host.names)} stored={len(stored)} lost={len(lost)} doubled={doubled}")
        return not lost and not foreign and not doubled and not self.receiver.unproved

    def stop(self):
        self.host.end()
        self.cluster.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--readings", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="meterhost-nats-") as name:
        test = Test(options, pathlib.Path(name))
        try:
            for part in (test.leader, test.two_down, test.full, test.denied, test.receiver_away):
                part()
            is_fine = test.count()
        finally:
            test.stop()
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())

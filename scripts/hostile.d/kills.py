#!/usr/bin/env python3
"""Processes that are killed at any moment. scripts/soak kills those of a whole gateway, with meters; beside it, a running host and
the commands that submit to it are killed while the receiver stores what it is sent and often says nothing. What a command has
acknowledged arrives, once, and as it was written."""

import json
import re
import subprocess
import sys
import time

from bench import ROOT, Gateway, Part, Receiver, documents, honest, lines, stop, weight


def soak(part):
    rounds = 6 if part.quick else 150
    done = subprocess.run(
        [ROOT / "scripts/soak", "--no-build", "--rounds", str(rounds), "--seed", str(part.random.randrange(1 << 32))],
        capture_output=True, text=True)
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr[-400:]
    part.check(re.search(r"lost=0 doubled=0$", last) is not None and done.returncode == 0, f"soak: {last}\n{done.stderr[-2000:]}")
    print(f"kills: soak: {last}", file=sys.stderr)


def hard_receiver(part):
    """Stores, and then is silent, torn, or out of order, as often as not."""
    def script(request):
        said = honest(request)
        chance = part.random.random()
        if request.method == "GET" or chance < 0.5:
            return said
        return None if chance < 0.75 else iter([said[:20]])
    return script


def kill(part):
    rounds = 10 if part.quick else 300
    is_honest = []
    hard = hard_receiver(part)
    receiver = Receiver(lambda request: honest(request) if is_honest else hard(request))
    gateway = Gateway(part, "killed")
    gateway.begin(receiver.url)
    acknowledged, number, service = set(), 0, None
    for _ in range(rounds):
        if service is None or service.poll() is not None:
            service = gateway.start(["run", "--json"], "running")
        batch = list(range(number, number + part.random.randint(1, 20)))
        number = batch[-1] + 1
        submitter = subprocess.Popen(
            [part.program, "submit", "record", "-", "--json", "--no-upload"], env=gateway.environment, cwd=gateway.folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            submitter.stdin.write(documents(batch))
            submitter.stdin.close()
        except BrokenPipeError:
            pass
        submitter.stdin = None
        time.sleep(part.random.expovariate(1 / 0.1))
        part.random.choice([service, service, submitter]).kill()
        out, _ = submitter.communicate(timeout=120)
        acknowledged |= {each["log_id"] for each in lines(out)}
    stop(service)
    before = gateway.queue()
    part.check(before is not None, "kills: the queue cannot be read")
    is_honest.append(True)
    gateway.run(["queue", "flush"], limit=300)
    stored = receiver.stored()
    part.check(bool(acknowledged), "kills: nothing was acknowledged at all")
    part.check(acknowledged <= set(stored), f"kills: acknowledged and lost: {sorted(acknowledged - set(stored))[:5]}")
    part.check(
        all(len(contents) == 1 for contents in stored.values()), "kills: a record arrived with two contents")
    written = {each["log_id"]: each for each in map(weight, range(number))}
    for name, contents in stored.items():
        record = json.loads(next(iter(contents)))
        value = record["metrics"][0]["value"]
        part.check(
            name in written and float(value) == written[name]["values"][0]["value"]
            and record["start_time"] == written[name]["time"], f"kills: {name} arrived as something else")
    part.check(gateway.queue() == [], "kills: something waits for ever")
    receiver.close()


def main():
    part = Part("kills")
    kill(part)
    soak(part)
    part.end()


if __name__ == "__main__":
    main()

"""The measurement of scripts/bench-sinks."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from receivers import KINDS, Missing, fleet


class Gateway:
    def __init__(self, program, folder):
        self.program, self.folder = str(program), folder
        self.environment = dict(
            os.environ, TZ="UTC", HOME=str(folder), METERHOST_STATE=str(folder / "state"), METERHOST_AIR=str(folder / "air"),
            METERHOST_LOG="critical")

    def run(self, *arguments, given=None):
        done = subprocess.run(
            [self.program, *map(str, arguments)], env=self.environment, cwd=self.folder, input=given, capture_output=True,
            text=True, check=False)
        if done.returncode != 0:
            raise fleet.Failure(f"meterhost {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def begin(self, receiver):
        token = []
        if receiver.token:
            (self.folder / "token").write_text(receiver.token + "\n")
            (self.folder / "token").chmod(0o600)
            token = ["--token-file", "token"]
        self.run("session", "start", "--user", "ada", "--organization", "clinic", *receiver.words, *token)

    def submit(self, numbers):
        lines = [json.dumps({
            "type": "weight", "time": f"2024-01-{1 + each // 1440:02}T{each // 60 % 24:02}:{each % 60:02}:00Z",
            "values": [{"metric": "body_weight", "value": 60 + each % 400 / 10, "unit": "kg"}]}) for each in numbers]
        self.run("submit", "record", "-", "--no-upload", given="\n".join(lines))

    def waiting(self):
        sink = json.loads(self.run("sink", "show", "inform", "--json"))
        return sum(count for state, count in sink["queue"].items() if state in ("pending", "in_flight", "dead", "rejected"))

    def flush(self):
        """Seconds, and seconds of processor time, until all is delivered."""
        begun = time.monotonic()
        process = subprocess.Popen(
            [self.program, "queue", "flush"], env=self.environment, cwd=self.folder, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        _, status, used = os.wait4(process.pid, 0)
        taken = time.monotonic() - begun
        if status != 0 or self.waiting():
            raise fleet.Failure(f"not all was delivered: {process.stderr.read().decode()[-600:]}")
        return taken, used.ru_utime + used.ru_stime


def measured(options, kind):
    """Readings a second, and microseconds of processor time a reading, without what a flush of nothing takes."""
    with tempfile.TemporaryDirectory(prefix="meterhost-bench-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        gateway = Gateway(options.programs / "meterhost", folder)
        receiver = KINDS[kind](options, folder)
        try:
            gateway.begin(receiver)
            gateway.submit(range(1))
            gateway.flush()
            idle = gateway.flush()[1]
            gateway.submit(range(1, options.readings + 1))
            taken, used = gateway.flush()
            return options.readings / taken, (used - idle) / options.readings * 1e6
        finally:
            receiver.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--mosquitto", default="")
    parser.add_argument("--mosquitto-libraries", default="")
    parser.add_argument("--readings", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []], default=[])
    options = parser.parse_args()
    found = {kind: [] for kind in options.kinds or KINDS}
    # Round by round: what else the machine does meanwhile is in all of them.
    for _ in range(options.rounds):
        for kind in list(found):
            try:
                found[kind].append(measured(options, kind))
            except Missing as error:
                print(f"bench-sinks: {kind} is left out: {error}", file=sys.stderr)
                del found[kind]
    rows = [
        {"kind": kind, "readings_per_second": round(statistics.median(row[0] for row in rows)),
         "cpu_us_per_reading": round(statistics.median(row[1] for row in rows))} for kind, rows in found.items()]
    if options.json:
        return print(json.dumps(rows))
    print(f"{'kind':<12} {'readings/s':>11} {'CPU us/reading':>15}   (median of {options.rounds}, {options.readings} readings each)")
    for row in rows:
        print(f"{row['kind']:<12} {row['readings_per_second']:>11} {row['cpu_us_per_reading']:>15}")


if __name__ == "__main__":
    main()

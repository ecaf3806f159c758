"""Renders, trains and exports the recogniser of seven-segment displays. See README.md beside this file."""

import argparse
import signal
import sys
from pathlib import Path

from segments.plan import PLANS

SEED = 7


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder for shards and checkpoints")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--plan", choices=PLANS, default="full", help="how much is rendered and trained")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("render", help="render the training samples")
    commands.add_parser("train", help="train; may run beside render")
    commands.add_parser("export", help="write weights.mhsw and shipped.mhsv of what was trained")
    pictures = commands.add_parser("pictures", help="render labelled pictures that no training saw")
    pictures.add_argument("--output", type=Path, required=True)
    pictures.add_argument("--lines", type=int, default=10500)
    pictures.add_argument("--unreadable", type=int, default=600)
    evaluation = commands.add_parser("evaluate", help="how often the network alone is right")
    evaluation.add_argument("--labels", type=Path, required=True)
    evaluation.add_argument("--shift", type=float, default=0.0)
    return parser.parse_args()


def main():
    asked = arguments()
    plan = PLANS[asked.plan]
    asked.work.mkdir(parents=True, exist_ok=True)
    if asked.command == "render":
        from segments import bank
        # The last phases share theirs.
        for sort, numbers in dict.fromkeys((phase.sort, phase.shards) for phase in plan.phases):
            for number in numbers:
                bank.shard(asked.work, asked.seed, sort, number, plan.shard)
                print(f"{sort.value}: shard {number + 1} of {numbers.stop}", flush=True)
    elif asked.command == "export":
        from segments import export
        export.finished(plan, asked.work, asked.seed)
    elif asked.command == "pictures":
        from segments import pictures
        pictures.write(asked.output, asked.seed, asked.lines, asked.unreadable)
    elif asked.command == "evaluate":
        from segments import evaluate, train
        evaluate.evaluate(asked.work / train.FINISHED, asked.labels, asked.shift)
    else:
        from segments import train
        # By default it would end without a word to the phases beside it.
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
        train.train(plan, asked.work, asked.seed)


if __name__ == "__main__":
    main()

"""Renders, trains and exports the recogniser of seven-segment displays. See README.md beside this file."""

import argparse
from pathlib import Path

SEED = 7


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder for shards and checkpoints")
    parser.add_argument("--seed", type=int, default=SEED)
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
    asked.work.mkdir(parents=True, exist_ok=True)
    if asked.command == "render":
        from segments import bank
        from segments.train import PHASES
        for phase in PHASES:
            for number in phase.shards:
                bank.shard(asked.work, asked.seed, phase.sort, number)
                print(f"{phase.sort.value}: shard {number + 1} of {phase.shards.stop}", flush=True)
    elif asked.command == "export":
        from segments import export
        export.finished(asked.work, asked.seed)
    elif asked.command == "pictures":
        from segments import pictures
        pictures.write(asked.output, asked.seed, asked.lines, asked.unreadable)
    elif asked.command == "evaluate":
        from segments import evaluate
        evaluate.evaluate(asked.work / "trained.pt", asked.labels, asked.shift)
    else:
        from segments import train
        train.train(asked.work, asked.seed)


if __name__ == "__main__":
    main()

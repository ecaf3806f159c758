"""Prints how each operation of openapi.yaml was answered, and fails when one never succeeded or the receiver failed.
Arguments: openapi.yaml, the answers that hooks.py counted; those of each operation are in one of the files."""
import json
import sys

import yaml

CLASSES = ["2xx", "3xx", "4xx", "5xx"]
with open(sys.argv[1], encoding="utf-8") as file:
    description = yaml.safe_load(file)
answers = {}
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        answers.update(json.load(file))

print(f"{'operation':24}" + "".join(f"{name:>7}" for name in CLASSES))
failed = False
for path in description["paths"].values():
    for operation in [each["operationId"] for each in path.values() if "operationId" in each]:
        counts = [answers.get(operation, {}).get(name, 0) for name in CLASSES]
        reason = "never succeeded" if not counts[0] else "server error" if counts[3] else ""
        failed = failed or bool(reason)
        print(f"{operation:24}" + "".join(f"{count:7}" for count in counts) + (f"  {reason}" if reason else ""))
sys.exit(failed)

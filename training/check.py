"""Checks what scripts/check-training has made: a training of the tiny plan, and a few pictures to measure with."""

import argparse
import csv
import re
import sys
from pathlib import Path

import cv2
import numpy as np
import torch

from segments import bank
from segments.glyphs import CHARACTERS
from segments.network import CLASSES, Network, decode, load
from segments.pictures import COLUMNS, UNREADABLE
from segments.plan import TINY
from segments.train import INDEX, MEASURED_SHARDS, MEASURED_STEP, loss_of


def require(holds, text):
    if not holds:
        sys.exit(f"check-training: {text}")


def inputs(pixels):
    """Pixels of a shard as the network takes them."""
    return torch.from_numpy(pixels.astype(np.float32) / np.float32(63.75) - 2)[:, None]


def network_of(state):
    network = Network()
    network.load_state_dict(state)
    return network.eval()


def check_loss():
    """A network that is sure of texts has next to no loss with them and much with others, and they are read from it."""
    texts = ["120", "-.5", "11", "L", ""]
    logits = torch.zeros(44, len(texts), CLASSES)
    for column, text in enumerate(texts):
        shown = {4 * place + 2: INDEX[character] for place, character in enumerate(text)}
        for step in range(44):
            logits[step, column, shown.get(step, 0)] = 20
    require(loss_of(lambda _: logits, None, texts)[0] < .01, "the loss is large where the network is sure and right")
    for column, text in enumerate(texts):
        others = [*texts[:column], "1" if text != "1" else "2", *texts[column + 1:]]
        require(loss_of(lambda _: logits, None, others)[0] > 1, f"the loss is small where {text!r} is read and wrong")
    require(decode(logits)[0] == texts, f"{decode(logits)[0]} is read where {texts} is shown")


def check_shards(work, seed):
    for phase in TINY.phases:
        for number in phase.shards:
            pixels, texts = bank.load(bank.path(work, seed, phase.sort, number), TINY.shard)
            name = f"shard {number} of {phase.sort.value}"
            require(pixels.shape == (TINY.shard, bank.HEIGHT, bank.WIDTH), f"{name} has the shape {pixels.shape}")
            require(all(len(set(image.ravel().tolist())) > 8 for image in pixels), f"{name} has an empty picture")
            require(all(set(text) <= set(CHARACTERS) and len(text) <= 9 for text in texts), f"{name} has other signs")
            require(len(set(texts)) > TINY.shard // 4, f"{name} shows the same again and again")


def check_phases(work, seed):
    """All phases have learned something, and what is left is the mean of the second ones."""
    phase, *second = TINY.phases
    pixels, texts = bank.load(bank.path(work, seed, phase.sort, phase.shards[0]), TINY.shard)
    torch.manual_seed(seed)
    new, first = Network().state_dict(), load(work / f"{phase.sort.value}.pt")
    with torch.no_grad():
        before, after = (loss_of(network_of(state).train(), inputs(pixels), texts)[0].item() for state in (new, first))
    print(f"loss before {phase.sort.value} {before:.2f}, after it {after:.2f}")
    require(after < .9 * before, f"the loss was {before:.3f} and is {after:.3f}")

    states = [load(work / f"{each.sort.value}.pt") for each in second]
    for each, state in zip(second, states):
        require(not torch.equal(state["head.weight"], first["head.weight"]), f"{each.sort.value} has changed nothing")
    mean = load(work / "trained.pt")
    for name, _ in Network().named_parameters():
        off = (mean[name] - sum(state[name] for state in states) / len(states)).abs().max().item()
        require(off < 1e-6, f"{name} is {off} off the mean of both second phases")
    require(all(torch.isfinite(value).all() for value in mean.values()), "there are weights that are no numbers")

    # What the layers were measured with has in the finished network the statistics that it has by itself.
    pixels = np.concatenate([bank.load(bank.path(work, seed, second[-1].sort, number), TINY.shard)[0][::MEASURED_STEP]
                             for number in second[-1].shards[:MEASURED_SHARDS]])
    with torch.no_grad():
        measured, own = network_of(mean)(inputs(pixels)), network_of(mean).train()(inputs(pixels))
    off = (measured - own).abs().max().item()
    print(f"logits vary by {own.std().item():.3f}; with the measured statistics they are up to {off:.4f} off")
    require(off < .05, "the normalising layers do not have the statistics of the mean network")


def check_vectors(file):
    """The engine in C may be .002 off: what the inputs make has to differ by much more."""
    content = file.read_bytes()
    count, steps, classes = np.frombuffer(content, "<u4", 3, 4)
    each = bank.HEIGHT * bank.WIDTH + int(steps) * int(classes) * 4
    require(content[:4] == b"MHSV" and classes == CLASSES and len(content) == 16 + int(count) * each,
            f"{file.name} is none")
    logits = [np.frombuffer(content, "<f4", int(steps) * CLASSES, 16 + k * each + bank.HEIGHT * bank.WIDTH)
              for k in range(int(count))]
    spread = np.std(logits, axis=0).mean()
    require(spread > .05, f"the logits of all inputs are within {spread}: they show nothing")


def check_pictures(folder, name, count):
    """A set has its pictures, and labels as docs/reference/command-line.md describes them."""
    with open(folder / name / "labels.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    require(len(rows) == count, f"{name} has {len(rows)} pictures, not {count}")
    for row in rows:
        place = f"{name}/{row['path']}"
        require(list(row) == COLUMNS and all(value is not None for value in row.values()), f"{place}: other columns")
        grey = cv2.imread(str(folder / name / row["path"]), cv2.IMREAD_GRAYSCALE)
        require(grey is not None, f"{place} cannot be read")
        height, width = grey.shape
        x, y, w, h = map(float, row["boxes"].split())
        require(w > 0 and h > 0 and x < width and y < height and x + w > 0 and y + h > 0,
                f"{place}: the box {row['boxes']} lies outside of {width} x {height}")
        readable = re.fullmatch("[0-9.-]*[0-9][0-9.-]*", row["text"]) is not None
        require(readable if name == "held-out" else row["text"] == "", f"{place} is labelled {row['text']!r}")
    if name == "unreadable":
        require({row["device_type"] for row in rows} == set(UNREADABLE), "not every sort of unreadable picture is there")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--each", type=int, required=True, help="how many pictures each set has")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    check_loss()
    check_shards(asked.work, asked.seed)
    check_phases(asked.work, asked.seed)
    check_vectors(asked.work / "shipped.mhsv")
    for name in ("held-out", "unreadable"):
        check_pictures(asked.pictures, name, asked.each)


if __name__ == "__main__":
    main()

"""Checks what scripts/check-training has made: a training of the tiny plan, and a few pictures to measure with."""

import argparse
import csv
import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import torch

from segments import bank, type_phase
from segments.glyphs import CHARACTERS, EITHER
from segments.losses import INDEX, departure, doubtful, loss_of
from segments.network import CLASSES, Network, decode, load
from segments.pictures import COLUMNS, UNREADABLE
from segments.plan import PLANS, TINY
from segments.sorts import Sort
from segments.train import FINISHED, FIRST_MEAN, MEASURED_SHARDS, MEASURED_STEP
from segments.type_phase import BEFORE, SURER


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


def sure_of(texts):
    """Logits of a network that is sure of these texts."""
    logits = torch.zeros(44, len(texts), CLASSES)
    for column, text in enumerate(texts):
        shown = {4 * place + 2: INDEX[character] for place, character in enumerate(text)}
        for step in range(44):
            logits[step, column, shown.get(step, 0)] = 20
    return logits


def check_loss():
    """A network that is sure of texts has next to no loss with them and much with others, and they are read from it."""
    texts = ["120", "-.5", "11", "L", ""]
    logits = sure_of(texts)
    require(loss_of(lambda _: logits, None, texts)[0] < .01, "the loss is large where the network is sure and right")
    for column, text in enumerate(texts):
        others = [*texts[:column], "1" if text != "1" else "2", *texts[column + 1:]]
        require(loss_of(lambda _: logits, None, others)[0] > 1, f"the loss is small where {text!r} is read and wrong")
    require(decode(logits)[0] == texts, f"{decode(logits)[0]} is read where {texts} is shown")


def check_doubt():
    """Of type a digit and the doubt about it cost next to nothing, and another digit, none, or one doubt for two costs much; the
    loss has the gradient that it should have, and is CTC's where there is no type. Answers like those before depart from them by
    nothing."""
    label = "".join(EITHER.get(character, character) for character in "17.4-")
    for text, is_right in (("17.4-", True), ("?7.?-", True), ("????-", True), ("77.4-", False), ("1.4-", False),
                           ("17.4?", False), ("174-", False), ("?.4-", False), ("17?-", False)):
        loss = doubtful(sure_of([text]), [label]).item()
        require(loss < .01 if is_right else loss > 1, f"type that is read as {text!r} costs {loss}")
    torch.manual_seed(1)
    logits, way = torch.randn(2, 44, 2, CLASSES).unbind(0)
    check_gradient(logits, way, [label, EITHER["1"]])
    for text in ("120", "77", ""):
        ours, own = doubtful(logits[:, :1], [text]).item(), loss_of(lambda _: logits[:, :1], None, [text])[0].item()
        require(abs(ours - own * max(1, len(text))) < .01, f"without type {text!r} costs {ours}, by CTC {own} a sign")
    require(departure(logits, logits).max() < 1e-4 < 1 < departure(logits + way, logits).min(), "departures are wrong")

    # One doubt that lasts for all steps fits two digits at each step where it may pass from one to the other.
    doubt = (8 * torch.nn.functional.one_hot(torch.tensor(INDEX["?"]), CLASSES)).float().expand(44, 2, -1)
    check_gradient(doubt, way, [label, label])
    for digits in (label[:2], label[:4], EITHER["1"] + "?", "?" + EITHER["1"]):
        loss = doubtful(doubt[:, :1], [digits]).item()
        require(loss > 1, f"one doubt costs {loss} where {digits!r} is shown")


def check_gradient(logits, way, labels):
    """The loss of type rises along a way as its gradient says."""
    logits = logits.clone().requires_grad_()
    doubtful(logits, labels).sum().backward()
    with torch.no_grad():
        rise = (doubtful(logits + .01 * way, labels) - doubtful(logits - .01 * way, labels)).sum().item() / .02
    found = (logits.grad * way).sum().item()
    require(abs(rise - found) < .02 * max(1, abs(rise)), f"the gradient is {found} where the loss rises by {rise}")


def check_shards(work, seed):
    signs = {sort: set(CHARACTERS) | (set(EITHER.values()) if sort is Sort.TYPE else set()) for sort in Sort}
    for phase in TINY.phases:
        for number in phase.shards:
            pixels, texts = bank.load(bank.path(work, seed, phase.sort, number), TINY.shard)
            name = f"shard {number} of {phase.sort.value}"
            require(pixels.shape == (TINY.shard, bank.HEIGHT, bank.WIDTH), f"{name} has the shape {pixels.shape}")
            require(all(len(set(image.ravel().tolist())) > 8 for image in pixels), f"{name} has an empty picture")
            require(all(set(text) <= signs[phase.sort] and len(text) <= 9 for text in texts), f"{name} has other signs")
            require(len(set(texts)) > TINY.shard // 4, f"{name} shows the same again and again")


def mean_off(states, mean):
    """How far the parameters are from the mean of these networks'."""
    return max((mean[name] - sum(state[name] for state in states) / len(states)).abs().max().item()
               for name, _ in Network().named_parameters())


def check_last(work, seed):
    """The last phases have learned something about type and left the statistics as they were, and what is left is of them."""
    before, states = load(work / FIRST_MEAN), [load(work / f"{phase.name}.pt") for phase in TINY.last]
    pixels, texts = bank.load(bank.path(work, seed, Sort.TYPE, TINY.last[0].shards[0]), TINY.shard)
    with torch.no_grad():
        first, *after = (doubtful(network_of(state)(inputs(pixels)), texts).mean().item() for state in (before, *states))
    print(f"the loss of type before the last phases {first:.2f}, after them", *(f"{loss:.2f}" for loss in after))
    require(max(after) < first, f"the loss of type was {first:.3f} and is {after}")
    for phase, state in zip(TINY.last, states):
        moved = [name for name in state if "running" in name and not torch.equal(state[name], before[name])]
        require(not moved, f"{phase.name} has changed {moved}")
    finished = load(work / FINISHED)
    for name in ("head.weight", "head.bias"):
        finished[name] /= SURER
    mixed = {name: BEFORE * before[name] + (1 - BEFORE) * sum(state[name] for state in states) / len(states) for name in before}
    require(mean_off([mixed], finished) < 1e-6, "what is left is not the mean of the last phases and the network before")


def check_kept(work, seed):
    """The last phases read rows of segments much more as before than where that costs nothing."""
    require(all(phase.kept_cost > 0 for plan in PLANS.values() for phase in plan.last), "reading otherwise than before is free")
    before = load(work / FIRST_MEAN)
    rows = inputs(np.concatenate([bank.load(bank.path(work, seed, phase.sort, phase.shards[0]), TINY.shard)[0]
                                  for phase in TINY.kept_phases]))

    def departed(state):
        with torch.no_grad():
            return departure(network_of(state)(rows), network_of(before)(rows)).mean().item()

    for phase in TINY.last:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for shard in work.glob("shard-*.npz"):
                (folder / shard.name).symlink_to(shard.resolve())
            type_phase.train(replace(phase, kept_cost=0), TINY, before, folder, seed)
            free = departed(load(folder / f"{phase.name}.pt"))
        kept = departed(load(work / f"{phase.name}.pt"))
        print(f"{phase.name} departs by {kept:.1f} from what was read before, and by {free:.1f} where that costs nothing")
        require(kept < .5 * free, f"{phase.name} does not go on reading rows of segments as before")


def check_phases(work, seed):
    """The first phases have learned something, and the last ones begin with the mean of the second ones."""
    phase, second = TINY.first, TINY.second
    pixels, texts = bank.load(bank.path(work, seed, phase.sort, phase.shards[0]), TINY.shard)
    torch.manual_seed(seed)
    new, first = Network().state_dict(), load(work / f"{phase.name}.pt")
    with torch.no_grad():
        before, after = (loss_of(network_of(state).train(), inputs(pixels), texts)[0].item() for state in (new, first))
    print(f"loss before {phase.name} {before:.2f}, after it {after:.2f}")
    require(after < .9 * before, f"the loss was {before:.3f} and is {after:.3f}")

    states = [load(work / f"{each.name}.pt") for each in second]
    for each, state in zip(second, states):
        require(not torch.equal(state["head.weight"], first["head.weight"]), f"{each.name} has changed nothing")
    mean = load(work / FIRST_MEAN)
    require(mean_off(states, mean) < 1e-6, "the last phases do not begin with the mean of the second ones")
    require(all(torch.isfinite(value).all() for value in load(work / FINISHED).values()), "there are weights that are no numbers")

    # What the layers were measured with has in the mean network the statistics that it has by itself.
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
    check_doubt()
    check_shards(asked.work, asked.seed)
    check_phases(asked.work, asked.seed)
    check_last(asked.work, asked.seed)
    check_kept(asked.work, asked.seed)
    check_vectors(asked.work / "shipped.mhsv")
    for name in ("held-out", "unreadable"):
        check_pictures(asked.pictures, name, asked.each)


if __name__ == "__main__":
    main()

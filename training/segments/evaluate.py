"""How often the network alone is right, one look at each picture of a labelled set."""

import csv
from pathlib import Path

import cv2
import numpy as np
import torch

from .crops import cut_out, normalise
from .network import Network, decode, load


def lines(labels: Path, shift: float = 0.0):
    """Crop and text of each labelled row. `shift` moves the boxes down by that part of their height."""
    folder = labels.parent
    with open(labels, newline="") as file:
        for row in csv.DictReader(file):
            grey = cv2.imread(str(folder / row["path"]), cv2.IMREAD_GRAYSCALE)
            if row["rot180"] == "1":
                grey = grey[::-1, ::-1]
            for box, text in zip(row["boxes"].split(";"), row["text"].split("\\n")):
                x, y, w, h = map(float, box.split())
                yield normalise(cut_out(grey, (x, y + shift * h, w, h))), text, row["device_type"]


def evaluate(weights: Path, labels: Path, shift: float = 0.0):
    """Prints exact, and wrong and answered at some floors of the confidence."""
    network = Network()
    network.load_state_dict(load(weights))
    network.eval()
    found = []
    samples = list(lines(labels, shift))
    with torch.no_grad():
        for first in range(0, len(samples), 128):
            part = samples[first:first + 128]
            texts, sure = decode(network(torch.from_numpy(np.stack([x for x, _, _ in part]))[:, None]))
            found += [(t, s, want, kind) for t, s, (_, want, kind) in zip(texts, sure, part)]
    print(f"lines {len(found)}  exact {np.mean([t == want for t, _, want, _ in found]):.4f}")
    for floor in (0, .5, .7, .8, .9, .95):
        answered = [(t, want) for t, s, want, _ in found if s >= floor and t and "?" not in t]
        wrong = sum(t != want for t, want in answered)
        print(f"floor {floor:.2f}  answered {len(answered) / len(found):.3f}  wrong {wrong} "
              f"({wrong / len(found):.4f} of all lines)")
    return found

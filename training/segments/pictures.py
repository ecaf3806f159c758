"""Sets of rendered pictures with labels, for `meterhost snap bench --generic`.

Held-out pictures have segment shapes, fonts, leanings and blur that no training picture has.
"""

import csv
import random
from pathlib import Path

import cv2

from .crops import cut_out, is_plainly_cut, label, loose_box
from .scene import picture
from .sorts import Sort
from .texts import reading

COLUMNS = ["path", "text", "device_type", "source", "licence", "series", "boxes", "rot180"]
# How the last sort of picture is unreadable.
UNREADABLE = ("glare", "cut", "blank")


def _readable(r):
    while True:
        scene = picture(r, Sort.HELD_OUT, reading(r))
        if scene is None or scene.doubt:
            continue
        box = loose_box(r, scene)
        text = label(scene, box)
        if "?" not in text:
            return scene, box, text


def _unreadable(r, kind):
    while True:
        text = "" if kind == "blank" else reading(r)
        scene = picture(r, Sort.HELD_OUT, text, kind == "glare")
        if scene is None or (kind == "cut" and scene.doubt):
            continue
        box = loose_box(r, scene, cut=1.0 if kind == "cut" else 0.0)
        if kind == "blank" or (is_plainly_cut(scene, box) if kind == "cut" else "?" in label(scene, box)):
            return scene, box


def write(folder: Path, seed: int, lines: int, unreadable: int):
    """Writes `lines` readable and `unreadable` unreadable pictures, and a labels.csv for each set."""
    cv2.setNumThreads(1)
    for name, count in (("held-out", lines), ("unreadable", unreadable)):
        r = random.Random(f"{name} {seed}")
        (folder / name / "images").mkdir(parents=True, exist_ok=True)
        with open(folder / name / "labels.csv", "w", newline="") as file:
            out = csv.writer(file)
            out.writerow(COLUMNS)
            for number in range(count):
                if name == "held-out":
                    kind, (scene, box, text) = "rendered", _readable(r)
                else:
                    kind, text = UNREADABLE[number % len(UNREADABLE)], ""
                    scene, box = _unreadable(r, kind)
                path = f"images/{number:05d}.png"
                grey = scene.grey
                if kind == "cut":
                    # A reader may look beyond the box: what is cut off must not be there.
                    grey = cut_out(grey, box)
                    box = (0, 0, grey.shape[1], grey.shape[0])
                cv2.imwrite(str(folder / name / path), grey)
                out.writerow([path, text, kind, "rendered", "Apache-2.0", name,
                              " ".join(f"{v:.1f}" for v in box), 0])

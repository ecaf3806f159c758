"""Rendered samples on disk, in shards that depend on the seed, their sort and their number only."""

import random
from pathlib import Path

import cv2
import numpy as np

from .crops import HEIGHT, WIDTH, sample
from .scene import picture
from .sorts import Sort

SHARD = 4096
# Crops of one picture.
LOOKS = 2


def path(folder: Path, seed: int, sort: Sort, number: int) -> Path:
    """Where a shard lies."""
    return folder / f"shard-{seed}-{sort.value}-{number:04d}.npz"


def shard(folder: Path, seed: int, sort: Sort, number: int) -> Path:
    """Renders one shard, unless it is there."""
    target = path(folder, seed, sort, number)
    if target.exists():
        return target
    cv2.setNumThreads(1)
    r = random.Random(seed * 1_000_003 + number)
    pixels, texts = np.zeros((SHARD, HEIGHT, WIDTH), np.uint8), []
    while len(texts) < SHARD:
        scene = picture(r, sort)
        for _ in range(LOOKS if scene else 0):
            made = sample(r, scene)
            if made is None or len(texts) == SHARD:
                continue
            pixels[len(texts)] = np.clip((made[0] + 2) * 63.75, 0, 255)
            texts.append(made[1])
    partial = target.with_suffix(".partial.npz")
    np.savez(partial, pixels=pixels, texts=np.array(texts))
    partial.rename(target)
    return target


def load(file: Path):
    """Pixels as uint8, and the texts."""
    with np.load(file) as content:
        return content["pixels"], content["texts"].tolist()

"""Rendered samples on disk, in shards that depend on the seed, their sort and their number only."""

import random
from pathlib import Path

import cv2
import numpy as np

from .crops import HEIGHT, WIDTH, sample
from .scene import picture
from .sorts import Sort

# Crops of one picture.
LOOKS = 2


def path(folder: Path, seed: int, sort: Sort, number: int) -> Path:
    """Where a shard lies."""
    return folder / f"shard-{seed}-{sort.value}-{number:04d}.npz"


def shard(folder: Path, seed: int, sort: Sort, number: int, count: int) -> Path:
    """Renders one shard of `count` samples, unless it is there."""
    target = path(folder, seed, sort, number)
    if target.exists():
        return target
    cv2.setNumThreads(1)
    r = random.Random(seed * 1_000_003 + number)
    pixels, texts = np.zeros((count, HEIGHT, WIDTH), np.uint8), []
    while len(texts) < count:
        scene = picture(r, sort)
        for _ in range(LOOKS if scene else 0):
            made = sample(r, scene)
            if made is None or len(texts) == count:
                continue
            pixels[len(texts)] = np.clip((made[0] + 2) * 63.75, 0, 255)
            texts.append(made[1])
    partial = target.with_suffix(".partial.npz")
    np.savez(partial, pixels=pixels, texts=np.array(texts))
    partial.rename(target)
    return target


def load(file: Path, count: int):
    """Pixels as uint8, and the texts, of a shard of `count` samples."""
    with np.load(file) as content:
        pixels, texts = content["pixels"], content["texts"].tolist()
    if len(texts) != count:
        raise ValueError(f"{file} has {len(texts)} samples and not {count}: the folder is of another plan")
    return pixels, texts

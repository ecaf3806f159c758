"""The samples of a phase, as they come from the renderer."""

import time
from pathlib import Path

import numpy as np
import torch

from . import bank
from .plan import Phase, Plan


def await_shard(folder, seed, plan, phase, number):
    """Pixels and texts of a shard, as soon as it is there."""
    path = bank.path(folder, seed, phase.sort, number)
    if not path.exists():
        print(f"{phase.sort.value}: waits for {path.name}, which `render` makes", flush=True)
    while not path.exists():
        time.sleep(.5)
    return bank.load(path, plan.shard)


class Shards:
    """Which samples a step sees depends on the seed and the step alone: step s draws from the first
    `least + s / each` shards, and waits for the renderer where one is missing."""

    def __init__(self, folder: Path, seed: int, plan: Plan, phase: Phase):
        self.folder, self.seed, self.plan, self.phase = folder, seed, plan, phase
        self.each = max(1, phase.steps // (2 * len(phase.shards)))
        self.pixels = np.zeros((len(phase.shards) * plan.shard, bank.HEIGHT, bank.WIDTH), np.uint8)
        self.texts, self.loaded = [], 0

    def _wait_for(self, count):
        while self.loaded < count:
            number = self.phase.shards[self.loaded]
            pixels, texts = await_shard(self.folder, self.seed, self.plan, self.phase, number)
            self.pixels[self.loaded * self.plan.shard:(self.loaded + 1) * self.plan.shard] = pixels
            self.texts += texts
            self.loaded += 1

    def batch(self, step, size):
        count = min(len(self.phase.shards), self.phase.least + step // self.each)
        self._wait_for(count)
        r = np.random.default_rng((self.seed + self.phase.shards.start, step))
        chosen = r.integers(0, count * self.plan.shard, size)
        x = self.pixels[chosen].astype(np.float32) / 63.75 - 2
        # What no rendering needs to repeat: another contrast, another polarity of the noise.
        x *= r.uniform(.8, 1.15, (size, 1, 1)).astype(np.float32)
        x += r.standard_normal(x.shape, np.float32) * r.uniform(0, .12, (size, 1, 1)).astype(np.float32)
        return torch.from_numpy(np.clip(x, -2, 2))[:, None], [self.texts[i] for i in chosen]

"""Trains the network on the shards; goes on where it was stopped."""

import os
import random
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from . import bank, export
from .glyphs import CHARACTERS
from .network import Network, decode

INDEX = {c: i + 1 for i, c in enumerate(CHARACTERS)}
BATCH = 64


@dataclass(frozen=True)
class Phase:
    """A part of the training: so many steps over shards of one sort."""
    name: str
    steps: int
    # The numbers of its shards.
    shards: range
    # The highest learning rate.
    peak: float
    # How many shards have to be there before the first step.
    least: int
    # Whether its shards show what a camera sees most of the time.
    usual: bool


# First everything that a camera may ever see, then what it sees most of the time: a network that has only seen the worst
# is never sure.
PHASES = (Phase("broad", 12000, range(0, 64), 2.5e-3, 8, False),
          Phase("usual", 3500, range(64, 80), 6e-4, 4, True))


class Shards:
    """Which samples a step sees depends on the seed and the step alone: step s draws from the first
    `least + s / each` shards, and waits for the renderer where one is missing."""

    def __init__(self, folder: Path, seed: int, phase: Phase):
        self.folder, self.seed, self.phase = folder, seed, phase
        self.each = max(1, phase.steps // (2 * len(phase.shards)))
        self.pixels = np.zeros((len(phase.shards) * bank.SHARD, bank.HEIGHT, bank.WIDTH), np.uint8)
        self.texts, self.loaded = [], 0

    def _wait_for(self, count):
        while self.loaded < count:
            path = bank.path(self.folder, self.seed, self.phase.shards[self.loaded])
            while not path.exists():
                time.sleep(.5)
            pixels, texts = bank.load(path)
            self.pixels[self.loaded * bank.SHARD:(self.loaded + 1) * bank.SHARD] = pixels
            self.texts += texts
            self.loaded += 1

    def batch(self, step, size):
        count = min(len(self.phase.shards), self.phase.least + step // self.each)
        self._wait_for(count)
        r = np.random.default_rng((self.seed + self.phase.shards.start, step))
        chosen = r.integers(0, count * bank.SHARD, size)
        x = self.pixels[chosen].astype(np.float32) / 63.75 - 2
        # What no rendering needs to repeat: another contrast, another polarity of the noise.
        x *= r.uniform(.8, 1.15, (size, 1, 1)).astype(np.float32)
        x += r.standard_normal(x.shape, np.float32) * r.uniform(0, .12, (size, 1, 1)).astype(np.float32)
        return torch.from_numpy(np.clip(x, -2, 2))[:, None], [self.texts[i] for i in chosen]


def loss_of(network, x, texts):
    """CTC's loss."""
    logits = network(x).log_softmax(2)
    targets = torch.tensor([INDEX[c] for t in texts for c in t], dtype=torch.long)
    lengths = torch.tensor([len(t) for t in texts])
    steps = torch.full((len(texts),), logits.shape[0])
    return torch.nn.functional.ctc_loss(logits, targets, steps, lengths, zero_infinity=True), logits


def train(folder: Path, seed: int, threads: int):
    """Trains in all phases, and leaves `trained.pt` and now and then `weights.mhsw` in `folder`."""
    torch.manual_seed(seed)
    random.seed(seed)
    torch.set_num_threads(threads)
    network = Network().to(memory_format=torch.channels_last)
    for phase in PHASES:
        done = folder / f"{phase.name}.pt"
        if not done.exists():
            _run(phase, network, folder, seed)
            torch.save(network.state_dict(), done)
        network.load_state_dict(torch.load(done))
    torch.save(network.state_dict(), folder / "trained.pt")


def _run(phase: Phase, network: Network, folder: Path, seed: int):
    """One phase from where it was stopped."""
    steps = phase.steps
    optimiser = torch.optim.AdamW(network.parameters(), lr=phase.peak, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, phase.peak, total_steps=steps, pct_start=.06)
    checkpoint, first = folder / f"{phase.name}-checkpoint.pt", 0
    if checkpoint.exists():
        state = torch.load(checkpoint)
        network.load_state_dict(state["network"])
        optimiser.load_state_dict(state["optimiser"])
        schedule.load_state_dict(state["schedule"])
        first = state["step"]
    samples = Shards(folder, seed, phase)
    started, losses, right = time.monotonic(), [], []
    for step in range(first, steps):
        network.train()
        x, texts = samples.batch(step, BATCH)
        loss, logits = loss_of(network, x, texts)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5)
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
        if step % 10 == 0:
            right.append(np.mean([a == b for a, b in zip(decode(logits.detach())[0], texts)]))
        if (step + 1) % 100 == 0:
            print(f"{phase.name}: step {step + 1} of {steps}  loss {np.mean(losses[-100:]):.4f}  right {np.mean(right[-10:]):.3f}  "
                  f"{(time.monotonic() - started) / (step + 1 - first):.2f} s a step", flush=True)
        if (step + 1) % 500 == 0 or step + 1 == steps:
            state = {"network": network.state_dict(), "optimiser": optimiser.state_dict(),
                     "schedule": schedule.state_dict(), "step": step + 1}
            torch.save(state, checkpoint.with_suffix(".partial"))
            os.replace(checkpoint.with_suffix(".partial"), checkpoint)
            network.eval()
            export.write(network, folder / "weights.mhsw")

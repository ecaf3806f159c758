"""Trains the network on the shards; goes on where it was stopped."""

import multiprocessing
import os
import threading
import time
from multiprocessing import connection
from pathlib import Path

import numpy as np
import torch

from . import bank
from .glyphs import CHARACTERS
from .network import Network, decode, device, load
from .plan import Phase, Plan

INDEX = {c: i + 1 for i, c in enumerate(CHARACTERS)}
BATCH = 64
# The mean network's statistics are measured on every fourth sample of the last phase's first shards.
MEASURED_SHARDS, MEASURED_STEP = 2, 4


def _await_shard(folder, seed, plan, phase, number):
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
            pixels, texts = _await_shard(self.folder, self.seed, self.plan, self.phase, number)
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


def loss_of(network, x, texts):
    """CTC's loss."""
    logits = network(x).log_softmax(2)
    targets = torch.tensor([INDEX[c] for t in texts for c in t], dtype=torch.long, device=logits.device)
    lengths = torch.tensor([len(t) for t in texts])
    steps = torch.full((len(texts),), logits.shape[0])
    return torch.nn.functional.ctc_loss(logits, targets, steps, lengths, zero_infinity=True), logits


def train(plan: Plan, folder: Path, seed: int):
    """Trains in all phases, the second ones side by side, and leaves the mean of these as `trained.pt` in `folder`."""
    _train_phase(plan.first, plan, folder, seed)
    spawn = multiprocessing.get_context("spawn")
    # Daemons: whatever ends this process, but for a kill, ends them too, and so the others when one has failed.
    beside = [spawn.Process(target=_train_beside, args=(phase, plan, folder, seed), daemon=True) for phase in plan.second]
    for process in beside:
        process.start()
    running = {process.sentinel: (process, phase) for process, phase in zip(beside, plan.second)}
    while running:
        for ended in connection.wait(list(running)):
            process, phase = running.pop(ended)
            process.join()
            if process.exitcode != 0:
                raise RuntimeError(f"the phase {phase.sort.value} ended with {process.exitcode}; what it says is above")
    _save(_mean_of(plan, folder, seed).state_dict(), folder / "trained.pt")


def _train_beside(phase: Phase, plan: Plan, folder: Path, seed: int):
    """A phase in a process of its own. Where the one that started it is killed, nobody is left to end this one."""
    threading.Thread(target=_end_with, args=(multiprocessing.parent_process(),), daemon=True).start()
    _train_phase(phase, plan, folder, seed)


def _end_with(process):
    process.join()
    os._exit(1)


def _file(phase: Phase, folder: Path):
    return folder / f"{phase.sort.value}.pt"


def _save(state, path: Path):
    """Whole or not at all."""
    torch.save(state, path.with_suffix(".partial"))
    os.replace(path.with_suffix(".partial"), path)


def _train_phase(phase: Phase, plan: Plan, folder: Path, seed: int):
    """Trains one phase, unless that has been done."""
    if _file(phase, folder).exists():
        return
    # Sums over several threads are rounded otherwise each time.
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    network = Network().to(device(), memory_format=torch.channels_last)
    if phase != plan.first:
        network.load_state_dict(load(_file(plan.first, folder)))
    _run(phase, network, plan, folder, seed)
    _save(network.state_dict(), _file(phase, folder))


def _mean_of(plan: Plan, folder: Path, seed: int) -> Network:
    """The network whose weights are the mean of the second phases' weights."""
    states = [load(_file(phase, folder)) for phase in plan.second]
    mean = {name: sum(state[name] for state in states) / len(states) if value.is_floating_point() else value
            for name, value in states[0].items()}
    network = Network()
    network.load_state_dict(mean)
    _measure_statistics(network, plan, folder, seed)
    return network


def _measure_statistics(network: Network, plan: Plan, folder: Path, seed: int):
    """Gives the normalising layers the mean and the variance that samples have in this network."""
    torch.set_num_threads(1)
    phase = plan.second[-1]
    pixels = np.concatenate([_await_shard(folder, seed, plan, phase, number)[0][::MEASURED_STEP]
                             for number in phase.shards[:MEASURED_SHARDS]])
    for layer in network.modules():
        if isinstance(layer, torch.nn.BatchNorm2d):
            layer.reset_running_stats()
            layer.momentum = None
    network.train()
    with torch.no_grad():
        for first in range(0, len(pixels), BATCH):
            network(torch.from_numpy(pixels[first:first + BATCH].astype(np.float32) / np.float32(63.75) - 2)[:, None])
    network.eval()


def _run(phase: Phase, network: Network, plan: Plan, folder: Path, seed: int):
    """One phase from where it was stopped."""
    steps = phase.steps
    optimiser = torch.optim.AdamW(network.parameters(), lr=phase.peak, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, phase.peak, total_steps=steps, pct_start=.06)
    checkpoint, first = folder / f"{phase.sort.value}-checkpoint.pt", 0
    if checkpoint.exists():
        state = load(checkpoint)
        network.load_state_dict(state["network"])
        optimiser.load_state_dict(state["optimiser"])
        schedule.load_state_dict(state["schedule"])
        first = state["step"]
    samples = Shards(folder, seed, plan, phase)
    started, losses, right = time.monotonic(), [], []
    for step in range(first, steps):
        network.train()
        x, texts = samples.batch(step, BATCH)
        loss, logits = loss_of(network, x.to(device()), texts)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5)
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
        if step % 10 == 0:
            right.append(np.mean([a == b for a, b in zip(decode(logits.detach())[0], texts)]))
        if (step + 1) % 100 == 0:
            print(f"{phase.sort.value}: step {step + 1} of {steps}  loss {np.mean(losses[-100:]):.4f}  right {np.mean(right[-10:]):.3f}  "
                  f"{(time.monotonic() - started) / (step + 1 - first):.2f} s a step", flush=True)
        if (step + 1) % 500 == 0 or step + 1 == steps:
            state = {"network": network.state_dict(), "optimiser": optimiser.state_dict(),
                     "schedule": schedule.state_dict(), "step": step + 1}
            _save(state, checkpoint)

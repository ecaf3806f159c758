"""Trains the network on the shards; goes on where it was stopped."""

import multiprocessing
import os
import threading
from multiprocessing import connection
from pathlib import Path

import numpy as np
import torch

from . import type_phase
from .losses import loss_of
from .network import Network, device, load
from .plan import Phase, Plan
from .shards import Shards, await_shard
from .steps import file_of, run, save

BATCH = 64
# What the last phases begin with, and what comes of them.
FIRST_MEAN, FINISHED = "mean.pt", "trained.pt"
# The mean network's statistics are measured on every fourth sample of the second phases' first shards.
MEASURED_SHARDS, MEASURED_STEP = 2, 4


def train(plan: Plan, folder: Path, seed: int):
    """Trains in all phases, those of one kind side by side, and leaves what comes of them as FINISHED in `folder`."""
    _train_phase(plan.first, plan, folder, seed)
    _side_by_side(_train_phase, plan.second, plan, folder, seed)
    if not (folder / FIRST_MEAN).exists():
        mean = _mean_of(plan.second, folder)
        _measure_statistics(mean, plan, folder, seed)
        save(mean.state_dict(), folder / FIRST_MEAN)
    _side_by_side(_train_last, plan.last, plan, folder, seed)
    before = Network()
    before.load_state_dict(load(folder / FIRST_MEAN))
    save(type_phase.finish(before, _mean_of(plan.last, folder)).state_dict(), folder / FINISHED)


def _side_by_side(train_phase, phases, plan: Plan, folder: Path, seed: int):
    """Trains each phase in a process of its own."""
    spawn = multiprocessing.get_context("spawn")
    # Daemons: whatever ends this process, but for a kill, ends them too, and so the others when one has failed.
    beside = [spawn.Process(target=_train_beside, args=(train_phase, phase, plan, folder, seed), daemon=True) for phase in phases]
    for process in beside:
        process.start()
    running = {process.sentinel: (process, phase) for process, phase in zip(beside, phases)}
    while running:
        for ended in connection.wait(list(running)):
            process, phase = running.pop(ended)
            process.join()
            if process.exitcode != 0:
                raise RuntimeError(f"the phase {phase.name} ended with {process.exitcode}; what it says is above")


def _train_beside(train_phase, phase: Phase, plan: Plan, folder: Path, seed: int):
    """A phase in a process of its own. Where the one that started it is killed, nobody is left to end this one."""
    threading.Thread(target=_end_with, args=(multiprocessing.parent_process(),), daemon=True).start()
    train_phase(phase, plan, folder, seed)


def _end_with(process):
    process.join()
    os._exit(1)


def _train_phase(phase: Phase, plan: Plan, folder: Path, seed: int):
    """Trains the first phase or a second one, unless that has been done."""
    if file_of(phase, folder).exists():
        return
    # Sums over several threads are rounded otherwise each time.
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    network = Network().to(device(), memory_format=torch.channels_last)
    if phase != plan.first:
        network.load_state_dict(load(file_of(plan.first, folder)))
    samples = Shards(folder, seed, plan, phase)

    def learn(step):
        network.train()
        x, texts = samples.batch(step, BATCH)
        return *loss_of(network, x.to(device()), texts), texts

    run(phase, network, learn, folder)


def _train_last(phase: Phase, plan: Plan, folder: Path, seed: int):
    """Trains a last phase, unless that has been done."""
    if not file_of(phase, folder).exists():
        torch.set_num_threads(1)
        type_phase.train(phase, plan, load(folder / FIRST_MEAN), folder, seed)


def _mean_of(phases, folder: Path) -> Network:
    """The network whose weights are the mean of these phases' weights."""
    states = [load(file_of(phase, folder)) for phase in phases]
    mean = {name: sum(state[name] for state in states) / len(states) if value.is_floating_point() else value
            for name, value in states[0].items()}
    network = Network()
    network.load_state_dict(mean)
    return network


def _measure_statistics(network: Network, plan: Plan, folder: Path, seed: int):
    """Gives the normalising layers the mean and the variance that samples have in this network."""
    torch.set_num_threads(1)
    phase = plan.second[-1]
    pixels = np.concatenate([await_shard(folder, seed, plan, phase, number)[0][::MEASURED_STEP]
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

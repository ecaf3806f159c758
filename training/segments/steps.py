"""The steps of a phase, and the files that it leaves."""

import os
import time
from pathlib import Path

import numpy as np
import torch

from .network import Network, decode, load
from .plan import Phase


def file_of(phase: Phase, folder: Path):
    """Where the network of a phase that has been trained lies."""
    return folder / f"{phase.name}.pt"


def save(state, path: Path):
    """Whole or not at all."""
    torch.save(state, path.with_suffix(".partial"))
    os.replace(path.with_suffix(".partial"), path)


def run(phase: Phase, network: Network, learn, folder: Path):
    """Trains one phase from where it was stopped, and saves what comes of it. `learn` gives a step's loss, and logits and texts
    of rows that it has seen."""
    steps = phase.steps
    optimiser = torch.optim.AdamW(network.parameters(), lr=phase.peak, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, phase.peak, total_steps=steps, pct_start=.06)
    checkpoint, first = folder / f"{phase.name}-checkpoint.pt", 0
    if checkpoint.exists():
        state = load(checkpoint)
        network.load_state_dict(state["network"])
        optimiser.load_state_dict(state["optimiser"])
        schedule.load_state_dict(state["schedule"])
        first = state["step"]
    started, losses, right = time.monotonic(), [], []
    for step in range(first, steps):
        loss, logits, texts = learn(step)
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
            save(state, checkpoint)
    save(network.state_dict(), file_of(phase, folder))

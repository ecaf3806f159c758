"""The last phases: which digits no segments draw.

A row of type has to be doubted or read as what it is. Every other row has to be read as it was before: what the network makes of
it is compared with what it made when the phase began, step by step. So nothing is learned anew, and nothing gets lost.
"""

from pathlib import Path

import torch

from .losses import departure, doubtful
from .network import Network, device
from .plan import Plan, TypePhase
from .shards import Shards
from .steps import run

# Rows of a step that must be read as before, and those of type. Many, since what changes is little.
KEPT_BATCH, TYPE_BATCH = 192, 64
# What a row of type costs.
TYPE_COST = .3
# How much of what is left is the network before. It is surer of digits that type has too, such as an eight with sharp edges: with
# a fifth of it a drawn oximeter's 98 is refused still, and with more than this, type is believed wrongly for certain again.
BEFORE = .22
# A network that has another reason to doubt is less sure of all it reads. With its logits times this, as many rendered rows
# are read wrongly for certain as before, and more are answered.
SURER = 1.06


def train(phase: TypePhase, plan: Plan, state, folder: Path, seed: int):
    """Trains one phase. The normalising layers keep their statistics: those of rows of segments."""
    torch.manual_seed(seed)
    before, network = (Network().to(device(), memory_format=torch.channels_last) for _ in range(2))
    for each in (before, network):
        each.load_state_dict(state)
        each.eval()
    type_samples = Shards(folder, seed, plan, phase)
    kept = [Shards(folder, seed, plan, other) for other in plan.kept_phases]

    def learn(step):
        parts = [samples.batch(step, KEPT_BATCH // len(kept)) for samples in kept]
        type_rows, type_texts = type_samples.batch(step, TYPE_BATCH)
        count = KEPT_BATCH // len(kept) * len(kept)
        x = torch.cat([*(rows for rows, _ in parts), type_rows]).to(device())
        with torch.no_grad():
            taught = before(x[:count])
        logits = network(x)
        lost = departure(logits[:, :count], taught).mean()
        loss = phase.kept_cost * lost + TYPE_COST * doubtful(logits[:, count:], type_texts).mean()
        return loss, logits[:, :count], [text for _, texts in parts for text in texts]

    run(phase, network, learn, folder)


def finish(before: Network, taught: Network) -> Network:
    """What ships: the mean of the network before and of what the last phases have made of it, and surer of what it reads. Both
    begin with the same weights and have the same statistics, so that a mean of them is a network too."""
    with torch.no_grad():
        for parameter, old in zip(taught.parameters(), before.parameters(), strict=True):
            parameter.lerp_(old, BEFORE)
        taught.head.weight *= SURER
        taught.head.bias *= SURER
    return taught

"""The network: convolutions that squeeze the height and keep a step for every fourth column, read by CTC
(Graves et al. 2006). Small enough for one core of a gateway: 34 million multiplications a look."""

import torch
from torch import nn

from .glyphs import CHARACTERS

CLASSES = len(CHARACTERS) + 1

# in, out, kernel, padding, pooling.
LAYERS = [
    (1, 12, (3, 3), (1, 1), (2, 2)),
    (12, 28, (3, 3), (1, 1), (2, 2)),
    (28, 48, (3, 3), (1, 1), (1, 1)),
    (48, 48, (3, 3), (1, 1), (2, 1)),
    (48, 64, (3, 3), (1, 1), (1, 1)),
    (64, 80, (5, 3), (0, 1), (1, 1)),
    (80, 80, (1, 5), (0, 2), (1, 1)),
    (80, 80, (1, 5), (0, 2), (1, 1)),
]


class Network(nn.Module):
    """(N, 1, 40, 176) to logits (44, N, CLASSES); class 0 is CTC's blank."""

    def __init__(self):
        super().__init__()
        parts = []
        for inputs, outputs, kernel, padding, pool in LAYERS:
            parts += [nn.Conv2d(inputs, outputs, kernel, padding=padding, bias=False), nn.BatchNorm2d(outputs),
                      nn.ReLU(inplace=True)]
            if pool != (1, 1):
                parts.append(nn.MaxPool2d(pool))
        self.body = nn.Sequential(*parts)
        self.head = nn.Conv2d(LAYERS[-1][1], CLASSES, 1)

    def forward(self, x):
        return self.head(self.body(x)).squeeze(2).permute(2, 0, 1)

    def folded(self):
        """Weights and biases per layer, with the batch norms folded in."""
        result, parts = [], list(self.body)
        for i, part in enumerate(parts):
            if isinstance(part, nn.Conv2d):
                norm = parts[i + 1]
                scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
                result.append((part.weight * scale[:, None, None, None], norm.bias - norm.running_mean * scale))
        result.append((self.head.weight, self.head.bias))
        return [(w.detach().numpy(), b.detach().numpy()) for w, b in result]


def decode(logits):
    """Greedy reading of (44, N, CLASSES): texts, and the least probability of a step on the way to each."""
    probabilities = logits.softmax(2)
    best, which = probabilities.max(2)
    texts = []
    for column in which.T.tolist():
        text, last = "", 0
        for c in column:
            if c and c != last:
                text += CHARACTERS[c - 1]
            last = c
        texts.append(text)
    return texts, best.min(0).values.tolist()


def device() -> torch.device:
    """Where the phases train: on a GPU when there is one. All else is little work and done on the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load(path):
    """What a training has saved, in the CPU's memory wherever it comes from; a network or an optimiser that takes it over
    copies it to where that one is."""
    return torch.load(path, map_location="cpu")

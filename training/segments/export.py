"""Writes the weights as the file that SDK/ocr/weights.c reads."""

import struct
import zlib
from pathlib import Path

import numpy as np
import torch

from . import bank
from .crops import HEIGHT, WIDTH
from .glyphs import CHARACTERS
from .network import LAYERS, Network, load
from .plan import Plan
from .train import FINISHED


def weights(network: Network, floor_live: float, floor_still: float) -> bytes:
    """The file's bytes."""
    layers = [*LAYERS, (LAYERS[-1][1], len(CHARACTERS) + 1, (1, 1), (0, 0), (1, 1))]
    out = bytearray(b"MHSW" + struct.pack("<IIIII2f", 1, HEIGHT, WIDTH, len(CHARACTERS), len(layers), floor_live,
                                          floor_still))
    out += CHARACTERS.encode("ascii").ljust(32, b"\0")
    for i, (inputs, outputs, kernel, padding, pool) in enumerate(layers):
        out += struct.pack("<9I", inputs, outputs, *kernel, *padding, int(i + 1 < len(layers)), *pool)
    for weight, bias in network.folded():
        out += weight.astype("<f4").tobytes() + bias.astype("<f4").tobytes()
    return bytes(out + struct.pack("<I", zlib.crc32(out)))


def write(network: Network, path: Path, floor_live=.85, floor_still=.45):
    """Writes the file, whole or not at all."""
    partial = path.with_suffix(".partial")
    partial.write_bytes(weights(network, floor_live, floor_still))
    partial.rename(path)


def vectors(network: Network, pixels, path: Path):
    """Writes what PyTorch makes of some inputs, for the tests of the engine in C: "MHSV", their count, steps and
    classes, and for each input its bytes (value v stands for v / 63.75 - 2) and its logits."""
    network.eval()
    with torch.no_grad():
        inputs = torch.from_numpy(pixels.astype(np.float32) / np.float32(63.75) - 2)[:, None]
        logits = network(inputs).permute(1, 0, 2).contiguous().numpy()
    out = bytearray(b"MHSV" + struct.pack("<III", len(pixels), *logits.shape[1:]))
    for image, steps in zip(pixels, logits):
        out += image.tobytes() + steps.astype("<f4").tobytes()
    path.write_bytes(bytes(out))


def finished(plan: Plan, folder: Path, seed: int):
    """Writes both files of a training that has come to its end."""
    network = Network()
    network.load_state_dict(load(folder / FINISHED))
    network.eval()
    write(network, folder / "weights.mhsw")
    first = bank.shard(folder, seed, plan.first.sort, plan.first.shards[0], plan.shard)
    vectors(network, bank.load(first, plan.shard)[0][:24], folder / "shipped.mhsv")

"""What a training renders, and in which phases it trains."""

from dataclasses import dataclass

from .sorts import Sort


@dataclass(frozen=True)
class Phase:
    """A part of the training: so many steps over shards of one sort."""
    sort: Sort
    steps: int
    # The numbers of its shards.
    shards: range
    # The highest learning rate.
    peak: float
    # How many shards have to be there before the first step.
    least: int


@dataclass(frozen=True)
class Plan:
    """All phases of a training."""
    first: Phase
    # They go on from the first one, each for itself.
    second: tuple[Phase, ...]
    # How many samples a shard has.
    shard: int

    @property
    def phases(self):
        return (self.first, *self.second)


# First everything that a camera may ever see, then, from there and each for itself, two sorts of what it sees most of the
# time: a network that has only seen the worst is never sure.
FULL = Plan(Phase(Sort.BROAD, 12000, range(0, 64), 2.5e-3, 8),
            (Phase(Sort.USUAL, 3500, range(64, 80), 6e-4, 4), Phase(Sort.CROWDED, 3500, range(64, 80), 6e-4, 4)), 4096)
# Goes through every part in seconds and learns next to nothing, for scripts/check-training. Its shards have the names of some
# of the full ones, so that a folder of one plan is refused by the other.
TINY = Plan(Phase(Sort.BROAD, 5, range(0, 2), 2.5e-3, 1),
            (Phase(Sort.USUAL, 5, range(64, 66), 6e-4, 1), Phase(Sort.CROWDED, 5, range(64, 66), 6e-4, 1)), 48)
PLANS = {"full": FULL, "tiny": TINY}

"""What a training renders, and in which phases it trains."""

from dataclasses import dataclass, replace

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

    @property
    def name(self):
        """What its files are called."""
        return self.sort.value


@dataclass(frozen=True)
class TypePhase(Phase):
    """A part of the training with digits that no segments draw."""
    # How much it costs to read a row of segments otherwise than before.
    kept_cost: float
    number: int

    @property
    def name(self):
        return f"{self.sort.value}-{self.number}"


@dataclass(frozen=True)
class Plan:
    """All phases of a training."""
    first: Phase
    # They go on from the first one, each for itself.
    second: tuple[Phase, ...]
    # They go on from the mean of the second ones.
    last: tuple[TypePhase, ...]
    # From how many shards of each other phase the last ones take the rows that they go on reading as before.
    kept: int
    # How many samples a shard has.
    shard: int

    @property
    def phases(self):
        return (self.first, *self.second, *self.last)

    @property
    def kept_phases(self):
        """What of the other phases the last ones go on reading as before."""
        return tuple(replace(phase, shards=phase.shards[:self.kept], least=self.kept)
                     for phase in (self.first, *self.second))


# First everything that a camera may ever see, then, from there and each for itself, two sorts of what it sees most of the
# time: a network that has only seen the worst is never sure. Then digits that no segments draw, twice from their mean on.
FULL = Plan(Phase(Sort.BROAD, 12000, range(0, 64), 2.5e-3, 8),
            (Phase(Sort.USUAL, 3500, range(64, 80), 6e-4, 4), Phase(Sort.CROWDED, 3500, range(64, 80), 6e-4, 4)),
            (TypePhase(Sort.TYPE, 6000, range(80, 112), 4e-4, 32, 2, 1),
             TypePhase(Sort.TYPE, 6000, range(80, 112), 1e-3, 32, 4, 2)),
            16, 4096)
# Goes through every part in seconds and learns next to nothing, for scripts/check-training. Its shards have the names of some
# of the full ones, so that a folder of one plan is refused by the other.
TINY = Plan(Phase(Sort.BROAD, 5, range(0, 2), 2.5e-3, 1),
            (Phase(Sort.USUAL, 5, range(64, 66), 6e-4, 1), Phase(Sort.CROWDED, 5, range(64, 66), 6e-4, 1)),
            (TypePhase(Sort.TYPE, 5, range(80, 82), 4e-4, 2, 2, 1),
             TypePhase(Sort.TYPE, 5, range(80, 82), 1e-3, 2, 4, 2)), 1, 48)
PLANS = {"full": FULL, "tiny": TINY}

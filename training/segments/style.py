"""How one display looks: drawn at random, from wider or other ranges for pictures that are held out."""

import math
from dataclasses import dataclass

from .glyphs import HELD_OUT_SHAPES, TRAINING_SHAPES, VARIANTS


@dataclass(frozen=True)
class Style:
    """Lengths are in hundredths of a digit's height."""
    shape: str
    width: float
    thickness: float
    gap: float
    spacing: float
    slant: float
    variants: frozenset
    narrow_one: bool
    point_size: float
    point_round: bool
    point_own_place: bool
    point_drop: float
    small_after_point: float
    ghost: float
    leading_ghosts: int
    lit: bool
    fonts: tuple


def style(r, held_out=False, usual=False):
    """A display's style."""
    shapes = HELD_OUT_SHAPES if held_out else (*TRAINING_SHAPES, "mitred", "hexagon")
    width = r.uniform(42, 68)
    thickness = min(r.uniform(8, 20) if r.random() < .9 else r.uniform(20, 25), .34 * width)
    leaning = [0, r.uniform(-2, 4), r.uniform(4, 15)] if not held_out else [r.uniform(-4, 0), r.uniform(2, 12)]
    return Style(
        shape=r.choice(shapes), width=width, thickness=thickness, gap=r.uniform(0, 5.5 if usual else 3.5),
        spacing=r.uniform(8, 36), slant=math.tan(math.radians(r.choice(leaning))),
        variants=frozenset(c for c, p in zip(VARIANTS, (.3 if usual else .15, .06, .06, .03)) if r.random() < p),
        narrow_one=r.random() < .06,
        point_size=max(8, thickness * r.uniform(.75, 1.4)), point_round=r.random() < .5,
        point_own_place=r.random() < .3, point_drop=r.uniform(-.1, .6),
        small_after_point=r.uniform(.55, .8) if r.random() < .15 else 0,
        ghost=(r.uniform(.02, .17) if r.random() < .4 else 0), leading_ghosts=r.choice([0, 0, 1, 2]),
        lit=r.random() < .24,
        fonts=(3, 4, 6) if held_out else (0, 1, 2, 5),
    )

"""One line of a display as polygons, with what each of its cells is meant to show."""

import math
from dataclasses import dataclass, field

from .glyphs import GLYPHS, SEGMENTS, VARIANTS, meaning, outlines
from .texts import STRANGE_GLYPHS


@dataclass
class Cell:
    """A digit's place, or a point's. Lengths are in hundredths of a digit's height."""
    sign: str
    x: float
    width: float
    polygons: dict
    # How strongly each polygon is lit, 0 to 1.
    strength: dict
    # True when a person could not say what it shows.
    doubtful: bool = False
    # The polygons in pixels of the picture.
    pixels: dict = field(default_factory=dict)


@dataclass
class Line:
    cells: list = field(default_factory=list)
    # Cells that are never lit.
    ghosts: list = field(default_factory=list)
    width: float = 0


def _moved(polygons, x, scale):
    return {k: [(px * scale + x, py * scale + 100 * (1 - scale)) for px, py in q] for k, q in polygons.items()}


def point_outline(style, x, size, up=0):
    """A point's polygon, `size` wide."""
    cy = 100 - size * .5 + size * style.point_drop * .5 - up
    if style.point_round:
        corners = [(x + size / 2 * math.cos(a * math.pi / 5), cy + size / 2 * math.sin(a * math.pi / 5))
                   for a in range(10)]
    else:
        corners = [(x - size / 2, cy - size / 2), (x + size / 2, cy - size / 2), (x + size / 2, cy + size / 2),
                   (x - size / 2, cy + size / 2)]
    return corners


def _weaken(cell, r):
    """Some segments light up less than others: worn contacts, a picture in between two others."""
    lit = [s for s in SEGMENTS if cell.strength[s] > 0]
    k = r.random()
    if k < .03 and lit:
        segment, left = r.choice(lit), r.random()
        cell.strength[segment] = left
        if left < .16:
            rest = meaning([s for s in lit if s != segment])
            cell.sign = rest or "?"
            cell.doubtful = rest is None
        elif left < .5:
            cell.doubtful = True
    elif k < .05:
        off = [s for s in SEGMENTS if cell.strength[s] == 0]
        if off:
            value = r.uniform(.2, .7)
            cell.strength[r.choice(off)] = value
            cell.doubtful = True
    elif k < .065:
        other = GLYPHS[r.choice("0123456789")]
        share = r.uniform(.3, .7)
        cell.strength = {s: (s in lit) * share + (s in other) * (1 - share) for s in SEGMENTS}
        if any(.16 < v < .6 for v in cell.strength.values()):
            cell.doubtful = True
    elif k < .075:
        lit = [s for s in SEGMENTS if r.random() < .55]
        cell.strength = {s: float(s in lit) for s in SEGMENTS}
        cell.sign = meaning(lit) or ""
    elif k < .12:
        # Unequal, but plain.
        for s in lit:
            cell.strength[s] = r.uniform(.7, 1)


def lay_out(text, style, r, faults=True):
    """Places the signs of `text` from left to right."""
    line, x, after_point = Line(), 0.0, False
    shapes = outlines(style.shape, style.width, 100, style.thickness, style.gap)
    narrow = style.thickness * 1.05
    if style.ghost and style.leading_ghosts:
        for _ in range(style.leading_ghosts):
            line.ghosts.append(_moved(shapes, x, 1))
            x += style.width + style.spacing
    for sign in text:
        if sign in ".:":
            after_point = True
            size = style.point_size
            at = x + size * .4 if style.point_own_place else x - style.spacing / 2
            # A point that touches a digit is no point that a person sees.
            if not style.point_own_place and style.spacing < size * 1.2:
                at, extra = x - style.spacing + size * .68, size * 1.36 - style.spacing
                x += max(0, extra)
            elif style.point_own_place:
                x += size * 1.7
            polygons = {"p": point_outline(style, at + size * .1, size)}
            if sign == ":":
                polygons = {"p": point_outline(style, at, size, 18), "q": point_outline(style, at, size, 58)}
            line.cells.append(Cell("." if sign == "." else "?", at - size / 2, size, polygons,
                                   {k: 1.0 for k in polygons}))
            continue
        scale = style.small_after_point if style.small_after_point and after_point else 1.0
        if sign in STRANGE_GLYPHS and sign not in GLYPHS:
            lit, shown = STRANGE_GLYPHS[sign], meaning(STRANGE_GLYPHS[sign])
        else:
            lit = VARIANTS[sign] if sign in style.variants else GLYPHS[sign]
            shown = sign
        if sign == "1" and style.narrow_one and lit == "bc":
            x -= style.width - narrow
            polygons = _moved(shapes, x, scale)
            line.cells.append(Cell(shown, x + style.width - narrow, narrow, {s: polygons[s] for s in "bc"},
                                   {"b": 1.0, "c": 1.0}))
            x += style.width * scale + style.spacing
            continue
        cell = Cell(shown, x, style.width * scale, _moved(shapes, x, scale), {s: float(s in lit) for s in SEGMENTS})
        if faults:
            _weaken(cell, r)
        line.cells.append(cell)
        x += style.width * scale + style.spacing
    line.width = max(x - style.spacing, 10)
    return line

"""What seven segments can show, and the shapes of the segments.

The segments are named a to g, clockwise from the top, g in the middle. A glyph is the set of its lit segments.
"""

import math

SEGMENTS = "abcdefg"

# The characters that the network tells apart; "?" is a cell that must not be believed: covered by glare, cut off,
# half lit, or a sign that is none of the others.
CHARACTERS = "0123456789.-LoHiEr?"

GLYPHS = {
    "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg", "5": "acdfg", "6": "acdefg", "7": "abc",
    "8": "abcdefg", "9": "abcdfg", "-": "g", "L": "def", "o": "cdeg", "H": "bcefg", "i": "c", "E": "adefg", "r": "eg",
}

# Other ways in which meters show some digits.
VARIANTS = {"7": "abcf", "9": "abcfg", "6": "cdefg", "1": "ef"}

# Labels of digits and points that no segments draw: each may be read as what it is, or doubted.
EITHER = dict(zip("0123456789.", "⁰¹²³⁴⁵⁶⁷⁸⁹·"))

MEANINGS = {frozenset(lit): sign for sign, lit in [*GLYPHS.items(), *VARIANTS.items()]}


def meaning(lit):
    """The character that these segments show; None for no segment, "?" for none of ours."""
    if not lit:
        return None
    return MEANINGS.get(frozenset(lit), "?")


def _hexagon_horizontal(width, y, t, gap):
    return [(gap + t * .1, y), (t * .9 + gap, y - t / 2), (width - t * .9 - gap, y - t / 2), (width - gap - t * .1, y),
            (width - t * .9 - gap, y + t / 2), (t * .9 + gap, y + t / 2)]


def _hexagon_vertical(x, top, bottom, t, gap):
    return [(x, top + gap + t * .1), (x + t / 2, top + gap + t * .6), (x + t / 2, bottom - gap - t * .6),
            (x, bottom - gap - t * .1), (x - t / 2, bottom - gap - t * .6), (x - t / 2, top + gap + t * .6)]


def _bar_horizontal(width, y, t, gap):
    return [(gap + t * .2, y - t / 2), (width - gap - t * .2, y - t / 2), (width - gap - t * .2, y + t / 2),
            (gap + t * .2, y + t / 2)]


def _bar_vertical(x, top, bottom, t, gap):
    return [(x - t / 2, top + gap + t * .2), (x + t / 2, top + gap + t * .2), (x + t / 2, bottom - gap - t * .2),
            (x - t / 2, bottom - gap - t * .2)]


def _capsule(x0, y0, x1, y1, t):
    """A bar with round ends."""
    angle = math.atan2(y1 - y0, x1 - x0)
    points = []
    for end, (cx, cy) in enumerate([(x1, y1), (x0, y0)]):
        start = angle - math.pi / 2 + end * math.pi
        points += [(cx + t / 2 * math.cos(start + k * math.pi / 5), cy + t / 2 * math.sin(start + k * math.pi / 5))
                   for k in range(6)]
    return points


def _lens(x0, y0, x1, y1, t):
    """A bar that is thick in the middle: a shape that no training picture has."""
    dx, dy = x1 - x0, y1 - y0
    length = math.hypot(dx, dy) or 1
    nx, ny = -dy / length * t / 2, dx / length * t / 2
    steps = [(0, .55), (.2, .9), (.5, 1.1), (.8, .9), (1, .55)]
    return ([(x0 + dx * s + nx * k, y0 + dy * s + ny * k) for s, k in steps]
            + [(x0 + dx * s - nx * k, y0 + dy * s - ny * k) for s, k in reversed(steps)])


def _mitred(w, h, t, gap):
    m, k, g = h / 2, t * .95, gap
    return {
        "a": [(g, 0), (w - g, 0), (w - g - k, k), (g + k, k)],
        "d": [(g, h), (w - g, h), (w - g - k, h - k), (g + k, h - k)],
        "f": [(0, g), (k, k + g), (k, m - t * .45 - g * .3), (0, m - g * .3)],
        "e": [(0, h - g), (k, h - k - g), (k, m + t * .45 + g * .3), (0, m + g * .3)],
        "b": [(w, g), (w - k, k + g), (w - k, m - t * .45 - g * .3), (w, m - g * .3)],
        "c": [(w, h - g), (w - k, h - k - g), (w - k, m + t * .45 + g * .3), (w, m + g * .3)],
        "g": [(g + t * .3, m), (g + t * .8, m - t * .5), (w - g - t * .8, m - t * .5), (w - g - t * .3, m),
              (w - g - t * .8, m + t * .5), (g + t * .8, m + t * .5)],
    }


# The first four are for training, the last two for pictures that are held out.
SHAPES = ("hexagon", "bar", "mitred", "capsule", "lens", "blunt")
TRAINING_SHAPES, HELD_OUT_SHAPES = SHAPES[:4], SHAPES[4:]


def outlines(shape, w, h, t, gap):
    """The polygons of the seven segments in a cell of w by h, with bars of thickness t."""
    if shape == "mitred":
        return _mitred(w, h, t, gap)
    top, middle, bottom, left, right = t / 2, h / 2, h - t / 2, t / 2, w - t / 2
    if shape in ("capsule", "lens"):
        bar = _capsule if shape == "capsule" else _lens
        near, ends = ((gap + t * .55, gap + t * .35) if shape == "capsule" else (gap + t * .2, gap + t * .1))
        def across(y): return bar(near + left, y, right - near, y, t)
        def down(x, y0, y1): return bar(x, y0 + ends + t * .2, x, y1 - ends - t * .2, t)
    elif shape == "hexagon":
        def across(y): return _hexagon_horizontal(w, y, t, gap)
        def down(x, y0, y1): return _hexagon_vertical(x, y0, y1, t, gap)
    else:
        inset = gap + (t * .22 if shape == "blunt" else 0)
        def across(y): return _bar_horizontal(w, y, t, inset)
        def down(x, y0, y1): return _bar_vertical(x, y0, y1, t, inset)
    return {
        "a": across(top), "g": across(middle), "d": across(bottom), "f": down(left, top, middle),
        "b": down(right, top, middle), "e": down(left, middle, bottom), "c": down(right, middle, bottom),
    }

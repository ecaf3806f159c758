"""Digits that no segments draw: type, smooth or in pixels, as on screens, phones and displays of dots.

A network that has seen segments alone takes these for whatever segments come closest, and is sure of it. Faces are drawn at
random from strokes, dots and a few ways to write each digit, so that no font has to be learned by heart.
"""

import math
from dataclasses import dataclass

import cv2
import numpy as np

from .dots import letters
from .glyphs import EITHER, GLYPHS, outlines
from .line import Cell, Line, point_outline

# Pixels of a glyph's height where it is drawn to be made of larger ones.
DRAWN = 192


@dataclass(frozen=True)
class Face:
    """How one display writes digits. Lengths are in hundredths of a digit's height."""
    # By the digit, polygons from x = 0 on.
    outlines: dict
    widths: dict
    gap: float
    # Where every digit takes the same room: how much.
    fixed: float


def _arc(cx, cy, rx, ry, start, end, power):
    """Part of a superellipse, angles in degrees, 0 at the right and 90 below."""
    count = max(3, round(abs(end - start) / 18))
    points = []
    for i in range(count + 1):
        a = math.radians(start + (end - start) * i / count)
        c, s = math.cos(a), math.sin(a)
        points.append((cx + rx * math.copysign(abs(c) ** (2 / power), c), cy + ry * math.copysign(abs(s) ** (2 / power), s)))
    return points


def _zero(r, w, h, power):
    strokes = [_arc(w / 2, h / 2, w / 2, h / 2, a, a + 180, power) for a in (90, 270)]
    k = r.random()
    if k < .18:
        return [*strokes, [(w * .82, h * .2), (w * .18, h * .8)]]
    if k < .25:
        return [*strokes, [(w * .5, h * .44), (w * .5, h * .56)]]
    return strokes


def _one(r, w, h, power):
    if r.random() < .07:
        return [[(0, 0), (0, h)]]
    flag, drop = w * r.uniform(.14, .7), h * r.choice([0, r.uniform(.03, .14), r.uniform(.1, .34)])
    bent = [(flag * .5, drop * r.uniform(.5, 1))] if r.random() < .3 else []
    strokes = [[(0, drop), *bent, (flag, 0)], [(flag, 0), (flag, h)]]
    if r.random() < .4:
        foot = w * r.uniform(.2, .5)
        strokes.append([(flag - foot, h), (flag + foot, h)])
    return strokes


def _two(r, w, h, power):
    bowl = h * r.uniform(.24, .31)
    if power > 4:
        return [[(0, 0), (w, 0)], [(w, 0), (w, h * .5)], [(w, h * .5), (0, h * r.choice([.5, .75]))],
                [(0, h * .5), (0, h)], [(0, h), (w, h)]]
    return [_arc(w / 2, bowl, w / 2, bowl, r.uniform(170, 205), 380, power),
            [(w * .97, bowl * 1.3), (w * .75, h * .56), (0, h)], [(0, h), (w, h)]]


def _three(r, w, h, power):
    middle = h * r.uniform(.44, .52)
    low = _arc(w / 2, (h + middle) / 2, w / 2, (h - middle) / 2, -90, r.uniform(140, 175), power)
    if r.random() < .25:
        return [[(0, 0), (w, 0)], [(w, 0), (w * .45, middle)], low]
    return [_arc(w / 2, middle / 2, w * .48, middle / 2, r.uniform(195, 215), 450, power), low]


def _four(r, w, h, power):
    bar, stem, k = h * r.uniform(.55, .78), w * r.uniform(.68, .92), r.random()
    across = [(0, bar), (w, bar)]
    if k < .12:
        return [[(0, 0), (0, h * .5)], [(0, h * .5), (w, h * .5)], [(w, 0), (w, h)]]
    if k < .35:
        return [[(w * r.uniform(.1, .4), 0), (0, bar)], across, [(stem, h * r.uniform(.1, .45)), (stem, h)]]
    return [[(stem, 0), (0, bar)], across, [(stem, 0), (stem, h)]]


def _five(r, w, h, power):
    top = h * r.uniform(.36, .46)
    if power > 4:
        return [[(w, 0), (0, 0)], [(0, 0), (0, h * .46)], [(0, h * .46), (w, h * .46)], [(w, h * .46), (w, h)],
                [(w, h), (0, h)]]
    left, bowl = w * r.uniform(0, .14), (h - top) / 2
    start, end = r.uniform(195, 235), r.uniform(500, 530)
    arc = _arc(w / 2, top + bowl, w / 2, bowl, start, end, power)
    return [[(w * r.uniform(.84, .98), 0), (left, 0)], [(left, 0), (arc[0][0], arc[0][1])], arc]


def _six(r, w, h, power):
    bowl = h * r.uniform(.28, .34)
    middle = h - bowl
    strokes = [_arc(w / 2, middle, w / 2, bowl, a, a + 180, power) for a in (90, 270)]
    k = r.random()
    if k < .35:
        return [*strokes, [(w * r.uniform(.45, .85), 0), (w * .03, middle * .95)]]
    if k < .65:
        return [*strokes, _arc(w * .95, middle, w * .95, middle, 180, r.uniform(255, 275), 2)]
    return [*strokes, _arc(w / 2, h / 2, w / 2, h / 2, 180, r.uniform(305, 340), power)]


def _seven(r, w, h, power):
    foot = w * (1 - r.choice([0, r.uniform(.2, .5), r.uniform(.4, .75)]))
    bent = [(w - (w - foot) * r.uniform(.5, .9), h * .45)] if r.random() < .4 else []
    strokes = [[(0, 0), (w, 0)], [(w, 0), *bent, (foot, h)]]
    if r.random() < .12:
        strokes.append([(w * .3, h * .5), (w, h * .5)])
    return strokes


def _eight(r, w, h, power):
    middle, narrow = h * r.uniform(.44, .5), w * r.uniform(.0, .06)
    return [_arc(w / 2, y, w / 2 - inset, ry, a, a + 180, power) for a in (90, 270)
            for y, ry, inset in ((middle / 2, middle / 2, narrow), ((h + middle) / 2, (h - middle) / 2, 0))]


def _nine(r, w, h, power):
    return [[(w - x, h - y) for x, y in stroke] for stroke in _six(r, w, h, power)]


STROKES = {"0": _zero, "1": _one, "2": _two, "3": _three, "4": _four, "5": _five, "6": _six, "7": _seven, "8": _eight,
           "9": _nine}


def _ribbon(stroke, thickness, contrast, is_round):
    """The polygons of one stroke; strokes across are thinner by `contrast`."""
    points = np.float64(stroke)
    ways = np.diff(points, axis=0)
    lengths = np.maximum(np.hypot(ways[:, 0], ways[:, 1]), 1e-6)
    ways /= lengths[:, None]
    along = np.concatenate([ways[:1], (ways[:-1] + ways[1:]) / 2, ways[-1:]])
    along /= np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-6)[:, None]
    half = thickness / 2 * (1 - contrast * np.abs(along[:, :1]))
    if not is_round:
        points = points.copy()
        points[0] -= along[0] * half[0] * .9
        points[-1] += along[-1] * half[-1] * .9
    aside = np.stack([-along[:, 1], along[:, 0]], 1) * half
    polygons = [[tuple(p) for p in (*(points + aside), *(points - aside)[::-1])]]
    if is_round:
        for (x, y), size in ((points[0], half[0, 0]), (points[-1], half[-1, 0])):
            polygons.append([(x + size * math.cos(a), y + size * math.sin(a)) for a in np.arange(10) * math.pi / 5])
    return polygons


def _written(r):
    """The polygons of digits that are written in strokes."""
    width, power = r.uniform(40, 72), r.choice([2, 2, 2.4, 3, 3.6, 6])
    thickness = min(r.uniform(7, 24), .36 * width)
    contrast, is_round = r.uniform(0, .5) if r.random() < .25 else 0, r.random() < .5
    polygons = {}
    for digit, draw in STROKES.items():
        strokes = draw(r, width - thickness, 100 - thickness, power)
        found = [q for stroke in strokes for q in _ribbon(stroke, thickness, contrast, is_round)]
        polygons[digit] = [[(x + thickness / 2, y + thickness / 2) for x, y in q] for q in found]
    return polygons


def _filled(polygons):
    """The polygons as a picture, DRAWN pixels high."""
    k = DRAWN / 100
    left = min(x for q in polygons for x, _ in q)
    right = max(x for q in polygons for x, _ in q)
    image = np.zeros((DRAWN, max(4, math.ceil((right - left) * k))), np.uint8)
    for q in polygons:
        cv2.fillPoly(image, [np.int32(np.round([((x - left) * k, y * k) for x, y in q]))], 255)
    return image


def _of_pixels(image, lines):
    """Which pixels of a screen show a picture, when its height is so many of them."""
    width = max(1, round(image.shape[1] * lines / image.shape[0]))
    return cv2.resize(image, (width, lines), interpolation=cv2.INTER_AREA) > 110


def _plotted(r):
    """Digits of the plotter fonts that OpenCV has."""
    font, bold = r.choice((0, 1, 2, 3, 4)), r.randint(14, 44)
    images = {}
    for digit in STROKES:
        image = np.zeros((400, 400), np.uint8)
        cv2.putText(image, digit, (90, 310), font, 9, 255, bold, cv2.LINE_AA)
        rows, columns = np.nonzero(image > 100)
        images[digit] = image[rows.min():rows.max() + 1, columns.min():columns.max() + 1]
    return images


def _rectangles(pixels, dot, is_round):
    """The polygons of a glyph of pixels, of which each fills `dot` of its place."""
    step, polygons = 100 / pixels.shape[0], []
    for y, row in enumerate(pixels):
        x = 0
        while x < len(row):
            if not row[x]:
                x += 1
                continue
            end = x + 1
            while dot >= 1 and end < len(row) and row[end]:
                end += 1
            inset = step * (1 - dot) / 2
            x0, x1, y0, y1 = x * step + inset, end * step - inset, y * step + inset, (y + 1) * step - inset
            if is_round and dot < 1:
                cx, cy, k = (x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) / 2
                polygons.append([(cx + k * math.cos(a * math.pi / 4), cy + k * math.sin(a * math.pi / 4)) for a in range(8)])
            else:
                polygons.append([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
            x = end
    return polygons


def face(r):
    """A face, drawn at random."""
    kind = r.random()
    if kind < .42:
        polygons = _written(r)
    else:
        dot = 1 if r.random() < .6 else r.uniform(.68, .97)
        if kind < .62:
            pixels = letters(r)
            if r.random() < .25:
                pixels = {d: np.pad(p, ((0, 0), (0, 1))) | np.pad(p, ((0, 0), (1, 0))) for d, p in pixels.items()}
        elif kind < .9:
            drawn = _written(r)
            lines = r.choice([8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 24])
            pixels = {d: _of_pixels(_filled(q), lines) for d, q in drawn.items()}
        else:
            lines = r.choice([10, 12, 14, 16, 20, 24, 30])
            pixels = {d: _of_pixels(image, lines) for d, image in _plotted(r).items()}
        is_round = r.random() < .4
        polygons = {d: _rectangles(p, dot, is_round) for d, p in pixels.items()}
    stretch = r.uniform(.85, 1.18)
    made, widths = {}, {}
    for digit, found in polygons.items():
        left = min(x for q in found for x, _ in q)
        made[digit] = [[((x - left) * stretch, y) for x, y in q] for q in found]
        widths[digit] = max(x for q in made[digit] for x, _ in q)
    return Face(made, widths, r.uniform(9, 36), max(widths.values()) if r.random() < .5 else 0)


def _digit(face, digit, x):
    """A digit of a face at x, and how much room it takes."""
    room = max(face.fixed, face.widths[digit])
    left = x + (room - face.widths[digit]) / 2
    polygons = {k: [(px + left, py) for px, py in q] for k, q in enumerate(face.outlines[digit])}
    return Cell(EITHER[digit], left, face.widths[digit], polygons, {k: 1.0 for k in polygons}), room


def lay_out(text, style, r):
    """Places the digits and points of `text` from left to right in a face. In some rows a part of the digits is of segments:
    what a digit is drawn by has to be seen of each."""
    used, line, x = face(r), Line(), 0.0
    segments = outlines(style.shape, style.width, 100, style.thickness, style.gap)
    mixed = r.uniform(.2, .8) if r.random() < .25 else 0
    for sign in text:
        if sign == ".":
            size = max(7, min(16, style.point_size))
            polygons = {"p": point_outline(style, x + size * .2, size)}
            line.cells.append(Cell(EITHER["."], x - used.gap * .3, size, polygons, {"p": 1.0}))
            x += size + used.gap * .4
        elif sign == "-" or r.random() < mixed:
            polygons = {k: [(px + x, py) for px, py in q] for k, q in segments.items()}
            line.cells.append(Cell(sign, x, style.width, polygons, {k: float(k in GLYPHS[sign]) for k in polygons}))
            x += style.width + max(used.gap, 8)
        else:
            cell, room = _digit(used, sign, x)
            line.cells.append(cell)
            x += room + used.gap
    line.width = max(x - used.gap, 10)
    return line

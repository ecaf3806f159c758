"""A picture of a display: panel, rows, bezel, light, camera.

Everything is rendered twice beside the picture itself: with every segment lit and with none. What the light and the
panel do to the difference of these two says which segments a person could tell apart, and so what may be read.
"""

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from . import effects, lettering, prints
from .line import lay_out
from .sorts import Sort
from .style import style as draw_style
from .texts import reading, text as draw_text

# Spots of light whose own edges are this many times the contrast of a segment hide it.
SPOTTED = .6


@dataclass
class Picture:
    """`grey` is uint8. `signs` are (x0, y0, x1, y1, character) in pixels, left to right."""
    grey: np.ndarray
    signs: list
    # The text's rectangle in pixels, tight: x, y, width, height.
    tight: tuple
    digit_height: float
    # True when the light leaves some sign not plain, though perhaps readable.
    doubt: bool = False


class _Canvas:
    def __init__(self, width, height, matrix):
        self.width, self.height, self.matrix = width, height, matrix

    def points(self, polygon):
        return cv2.perspectiveTransform(np.float32(polygon).reshape(-1, 1, 2), self.matrix)

    def project(self, polygons, slant=0.0):
        """All polygons in pixels, at one go."""
        if not polygons:
            return []
        flat = np.float32([point for q in polygons for point in q])
        flat[:, 0] += (100 - flat[:, 1]) * slant
        moved = cv2.perspectiveTransform(flat[:, None], self.matrix)[:, 0]
        return np.split(moved, np.cumsum([len(q) for q in polygons])[:-1])

    def fill(self, image, points, value):
        cv2.fillPoly(image, [np.int32(np.round(points * 16))], value, cv2.LINE_AA, 4)


def _matrix(r, window, scale, usual):
    """Scene to picture: rotation, perspective, scale."""
    left, top, right, bottom = window
    w, h = right - left, bottom - top
    corners = np.float32([[left, top], [right, top], [right, bottom], [left, bottom]])
    middle = np.float32([(left + right) / 2, (top + bottom) / 2])
    angle = math.radians(r.gauss(0, 3.2) if r.random() < (.7 if usual else .9) else r.uniform(-14, 14) if usual
                         else r.uniform(-9, 9))
    turn = np.float32([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    jitter = .05 * min(w, h)
    moved = (corners - middle) @ turn.T + np.float32([w / 2, h / 2])
    moved += np.float32([[r.uniform(-jitter, jitter), r.uniform(-jitter, jitter)] for _ in range(4)])
    return cv2.getPerspectiveTransform(corners, np.float32(moved * scale))


def _rows(r, style, line):
    """Digits of the rows above and below, which must not be read."""
    rows = []
    for side in (-1, 1):
        if r.random() < .28:
            size, away = r.uniform(.45, 1.1), r.uniform(18, 70)
            other = lay_out(reading(r), style, r, faults=False)
            dx = r.uniform(-60, 60)
            dy = -away - 100 * size if side < 0 else 100 + away
            for cell in other.cells:
                for k, q in cell.polygons.items():
                    if cell.strength[k] > 0:
                        rows.append([(x * size + dx, y * size + dy) for x, y in q])
    return rows


def _masks(canvas, style, line, rows):
    """What is lit, what would be with every segment, the ghosts, and the neighbouring rows."""
    shape = (canvas.height, canvas.width)
    lit, every, ghosts, near = (np.zeros(shape, np.uint8) for _ in range(4))
    for cell in line.cells:
        for k, points in cell.pixels.items():
            canvas.fill(every, points, 255)
            if cell.strength[k] > 0:
                canvas.fill(lit, points, int(255 * cell.strength[k]))
            elif style.ghost:
                canvas.fill(ghosts, points, 255)
    if style.ghost:
        for points in canvas.project([q for cell in line.ghosts for q in cell.values()], style.slant):
            canvas.fill(ghosts, points, 255)
    for points in canvas.project(rows, style.slant):
        canvas.fill(near, points, 255)
    return tuple(m.astype(np.float32) / 255 for m in (lit, every, ghosts, near))


def _project(canvas, style, line):
    """Gives every cell its polygons in pixels."""
    points = iter(canvas.project([q for cell in line.cells for q in cell.polygons.values()], style.slant))
    for cell in line.cells:
        cell.pixels = {k: next(points) for k in cell.polygons}


def _is_merged(cell, line, room):
    """Whether less than `room` pixels are between a point and the digits beside it."""
    for other in line.cells:
        lit = [points for k, points in other.pixels.items() if other.strength[k] > 0] if other is not cell else []
        for outline in lit:
            outline = np.float32(outline).reshape(-1, 1, 2)
            if any(cv2.pointPolygonTest(outline, (float(x), float(y)), True) > -room
                   for points in cell.pixels.values() for x, y in points):
                return True
    return False


def _is_dotted(cell):
    """Whether a minus is drawn as a point, or a one as a colon: nothing lit is clearly longer than it is wide."""
    sizes = [cv2.minAreaRect(np.float32(points))[1] for k, points in cell.pixels.items() if cell.strength[k] > 0]
    return cell.sign in ("-", "1") and all(max(size) < 1.6 * max(min(size), 1e-3) for size in sizes)


def _at(image, point):
    height, width = image.shape
    return float(image[min(max(int(point[1]), 0), height - 1), min(max(int(point[0]), 0), width - 1)])


def _judge_shapes(line, seen, room, spots):
    """Marks what blur or a spot of light makes something else, or nothing. Points need `room` pixels around them."""
    for cell in line.cells:
        if cell.sign == ".":
            cell.doubtful |= _is_merged(cell, line, room)
        cell.doubtful |= _is_dotted(cell)
        middles = [points.mean(0) for points in cell.pixels.values()]
        cell.doubtful |= any(_at(spots, middle) > SPOTTED * _at(seen, middle) for middle in middles)


def _judge(line, seen, floor):
    """Each cell's character and rectangle; "?" where the light leaves a doubt. `seen` is how much of the contrast of
    a segment is left at each pixel."""
    signs, measured = [], []
    for cell in line.cells:
        measured.append((cell, [_at(seen, points.mean(0)) for points in cell.pixels.values()]))
    best = max((max(shares) for _, shares in measured), default=0)
    doubt = any(cell.doubtful or min(shares) < max(2 * floor, .55 * best) for cell, shares in measured)
    for cell, shares in measured:
        sign = "?" if cell.sign and (cell.doubtful or min(shares) < max(floor, .2 * best)) else cell.sign
        if sign:
            points = np.concatenate(list(cell.pixels.values()))
            signs.append((*map(float, points.min(0)), *map(float, points.max(0)), sign))
    return signs, doubt


def picture(r, sort=Sort.BROAD, text=None, glare=False):
    """Renders one picture with one line of text. Returns None when chance asked for something too small to be a picture."""
    held_out, usual = sort is Sort.HELD_OUT, sort.is_usual
    style = draw_style(r, held_out, usual)
    if sort is Sort.TYPE:
        style = replace(style, ghost=0, slant=style.slant if r.random() < .3 else 0)
        shown = reading(r) if text is None else text
        line = lettering.lay_out(shown, style, r)
    else:
        shown = draw_text(r) if text is None else text
        line = lay_out(shown, style, r, faults=text is None and not (usual and r.random() < .4))
    lean = abs(style.slant) * 100
    px = math.exp(r.uniform(math.log(15), math.log(64))) / 100
    window = (-r.uniform(30, 150) - lean, -r.uniform(35, 100), line.width + r.uniform(30, 150) + lean,
              100 + r.uniform(40, 110))
    width, height = int((window[2] - window[0]) * px), int((window[3] - window[1]) * px)
    if not (12 <= width <= 1200 and 12 <= height <= 500):
        return None
    canvas = _Canvas(width, height, _matrix(r, window, px, usual))
    _project(canvas, style, line)
    rows = _rows(r, style, line) if shown else []
    lit, every, ghosts, near = _masks(canvas, style, line, rows)
    labels = prints.labels(r, style, canvas, line, px * 100, sort.is_strict) * (1 - np.minimum(every + near, 1))
    strength = r.uniform(.4, 1)
    if sort is Sort.CROWDED or (sort is Sort.TYPE and r.random() < .4):
        beside = prints.beside(r, style, canvas, line, px * 100) * (1 - np.minimum(every + near, 1))
        labels, strength = np.maximum(labels, beside), 1
    base = np.maximum(np.maximum(ghosts * style.ghost, near), labels * strength)
    light = effects.Light(r, style, height, width, px * 100, usual)
    if glare and line.cells:
        light.dazzle(r, r.choice(line.cells).pixels)
    panel = effects.panel_edges(r, canvas, line.width, lean)
    image = light.shine(np.maximum(base, lit), panel)
    none, full = light.shine(base * 0, panel), light.shine(every, panel)
    seen = cv2.GaussianBlur(np.abs(full - none), (0, 0), max(.7, light.sigma))
    if sort.is_strict:
        room = max(1, 1.6 * light.sigma) if held_out else max(.5, .8 * light.sigma)
        _judge_shapes(line, seen, room, light.spottiness())
    signs, doubt = _judge(line, seen, light.floor)
    image = effects.camera(r, image, px * 100, light.noise, light.sigma, held_out)
    corners = np.concatenate([points for cell in line.cells for points in cell.pixels.values()]
                             or [canvas.points([(0, 0), (line.width, 100)])[:, 0]])
    x0, y0 = corners.min(0)
    x1, y1 = corners.max(0)
    return Picture(image, signs, (float(x0), float(y0), float(x1 - x0), float(y1 - y0)), px * 100, doubt)

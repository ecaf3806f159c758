"""What is printed on a device around its digits."""

import math

import cv2
import numpy as np

WORDS = ["mg/dL", "mmol/L", "mmHg", "kg", "lb", "SYS", "DIA", "PUL", "PULSE", "/min", "bpm", "%SpO2", "C", "F", "%",
         "g", "MEM", "M", "AM", "PM", "12:45", "08.12", "AVG", "MAX", "TEMP", "THERMO", "LITRES", "kWh", "V", "mA"]
# What stands on buttons and fields, and raised units.
SIGNS = ["M", "G", "C", "F", "%", "S", "R", "P", "AM", "PM", "kg", "oC", "ml"]


def _symbol_place(r, line, plain):
    """Where a printed symbol stands, in hundredths of a digit's height; `plain`: where nobody takes it for a sign of the
    text, a minus or a point."""
    if plain:
        return r.uniform(-60, line.width + 60), r.choice([-r.uniform(25, 60), 100 + r.uniform(30, 70)])
    return r.choice([-r.uniform(15, 60), line.width + r.uniform(15, 60)]), r.uniform(0, 100)


def labels(r, style, canvas, line, px, plain):
    """Words and symbols around the digits: their ink, 0 to 1. `px` is a digit's height in pixels; `plain`: no symbol stands
    where a sign of the text might."""
    ink = np.zeros((canvas.height, canvas.width), np.uint8)
    for _ in range(r.choice([0, 0, 1, 1, 2, 3])):
        size = r.uniform(14, 34)
        place = r.random()
        if place < .4:
            at = (line.width + r.uniform(8, 40), r.uniform(40, 105))
        elif place < .75:
            at = (r.uniform(-40, line.width), 100 + size + r.uniform(6, 40))
        else:
            at = (r.uniform(-40, line.width), -r.uniform(8, 40))
        corner = canvas.points([at])[0, 0]
        scale = max(.2, size * px / 2200)
        cv2.putText(ink, r.choice(WORDS), (int(corner[0]), int(corner[1])), r.choice(style.fonts), scale, 255,
                    max(1, int(scale * 2.2)), cv2.LINE_AA)
    if r.random() < .3:
        for _ in range(r.randint(1, 2)):
            centre = canvas.points([_symbol_place(r, line, plain)])[0, 0]
            radius = max(2, int(px * r.uniform(.05, .14)))
            kind, place = r.randrange(3), (int(centre[0]), int(centre[1]))
            if kind == 0:
                cv2.circle(ink, place, radius, 255, r.choice([-1, 1, 2]), cv2.LINE_AA)
            elif kind == 1:
                corners = np.int32([[place[0], place[1] - radius], [place[0] - radius, place[1] + radius],
                                    [place[0] + radius, place[1] + radius]])
                cv2.fillPoly(ink, [corners], 255, cv2.LINE_AA)
            else:
                cv2.rectangle(ink, place, (place[0] + radius * 2, place[1] + radius), 255, r.choice([-1, 1]))
    return ink.astype(np.float32) / 255


def _circle(at, size):
    x, y, k = *at, size / 2
    turn = [math.pi * i / 12 for i in range(24)]
    return [(x + k * math.cos(a), y + k * math.sin(a)) for a in turn]


def _box(at, width, height):
    x, y, w, h = *at, width / 2, height / 2
    return [(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)]


def beside(r, style, canvas, line, px):
    """What stands beside digits, at their height, and belongs to no number: a button, a sign on a dark field, a raised unit.
    Its ink, 0 to 1. `px` is a digit's height in pixels."""
    ink = np.zeros((canvas.height, canvas.width), np.uint8)
    if r.random() < .55:
        return ink.astype(np.float32)
    away, is_left = r.uniform(8, 55), r.random() < .35

    def place(width):
        return -away - width / 2 if is_left else line.width + away + width / 2

    kind, stroke = r.randrange(4), max(1, int(px * r.uniform(.02, .07)))
    if kind == 0:
        size = r.uniform(50, 170)
        shape = _circle((place(size), r.uniform(20, 90)), size)
        cv2.polylines(ink, [np.int32(canvas.project([shape])[0])], True, 255, stroke, cv2.LINE_AA)
    elif kind == 1:
        width, height = r.uniform(40, 120), r.uniform(40, 160)
        shape = _box((place(width), r.uniform(20, 90)), width, height)
        cv2.polylines(ink, [np.int32(canvas.project([shape])[0])], True, 255, stroke, cv2.LINE_AA)
    size = r.uniform(26, 55) if kind != 2 else r.uniform(18, 40)
    centre = (place(size), r.uniform(10, 95))
    if kind == 3:
        canvas.fill(ink, canvas.project([_box(centre, size * 1.2, size * 1.2)])[0], 255)
    sign = r.choice(SIGNS)
    scale = size * px / 2200 * (.8 if kind == 3 else 1)
    corner = canvas.points([(centre[0] - size * .3 * len(sign), centre[1] + size * .35)])[0, 0]
    cv2.putText(ink, sign, (int(corner[0]), int(corner[1])), r.choice(style.fonts), max(.2, scale), 0 if kind == 3 else 255,
                max(1, int(scale * 2.4)), cv2.LINE_AA)
    return ink.astype(np.float32) / 255

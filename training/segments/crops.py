"""From a picture to what the network sees: a loose box, cut out and made even."""

from dataclasses import replace

import cv2
import numpy as np

HEIGHT, WIDTH = 40, 176


def normalise(crop):
    """A grey crop as HEIGHT x WIDTH float32 in -2...2, filled up at the right; SDK/ocr/crop.c does the same."""
    h, w = crop.shape
    width = int(max(8, min(WIDTH, round(w * HEIGHT / h))))
    shrinking = h > HEIGHT or w > width
    x = cv2.resize(crop, (width, HEIGHT), interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_LINEAR)
    x = x.astype(np.float32)
    low, high = np.percentile(x, 2), np.percentile(x, 98)
    x = np.clip((x - (low + high) / 2) / max(high - low, 8.) * 2, -2, 2)
    if width < WIDTH:
        x = np.concatenate([x, np.full((HEIGHT, WIDTH - width), x[:, -1].mean(), np.float32)], 1)
    return x.astype(np.float32)


def loose_box(r, picture, cut=0.0):
    """A box around the text as an overlay would have it; with probability `cut` one that cuts signs off."""
    x, y, w, h = picture.tight
    size = max(h, 1)
    k = r.random()
    side = (lambda: size * r.uniform(.02, .35)) if k < .5 else (lambda: size * r.uniform(.02, 1.0))
    left, right = side(), side()
    top, bottom = size * r.uniform(.02, .34), size * r.uniform(.02, .42)
    if r.random() < .2:
        top, bottom = top * r.uniform(1, 1.9), bottom * r.uniform(1, 1.9)
    if r.random() < cut:
        which = r.randrange(4)
        if which == 0:
            left = -r.uniform(0, .5) * size
        elif which == 1:
            right = -r.uniform(0, .5) * size
        elif which == 2:
            top = -r.uniform(.02, .4) * size
        else:
            bottom = -r.uniform(.02, .4) * size
    return x - left, y - top, w + left + right, h + top + bottom


def _inside(picture, box):
    """Each sign, and which part of its width and of its height the box shows."""
    bx, by, bw, bh = box
    height, width = picture.grey.shape
    x_low, y_low, x_high, y_high = max(bx, 0), max(by, 0), min(bx + bw, width), min(by + bh, height)
    for x0, y0, x1, y1, sign in picture.signs:
        w, h = max(x1 - x0, 1e-3), max(y1 - y0, 1e-3)
        yield sign, (min(x1, x_high) - max(x0, x_low)) / w, (min(y1, y_high) - max(y0, y_low)) / h


def label(picture, box):
    """What the box shows: signs that it cuts are "?" or not there."""
    text = ""
    for sign, across, down in _inside(picture, box):
        if across >= .15 and down >= .15:
            text += sign if across > .88 and down > .93 else "?"
    return text


def is_plainly_cut(picture, box):
    """Whether so much of a digit is missing that a person could not go by the rest. Of a one, half of the cell is empty: the
    rest of it may be nothing."""
    return any(sign not in ".-1" and (.15 < across < .7 or .15 < down < .75)
               for sign, across, down in _inside(picture, box))


def cut_out(grey, box):
    """The pixels of the box; beyond the picture its edge goes on."""
    x, y, w, h = box
    x0, y0, x1, y1 = int(round(x)), int(round(y)), int(round(x + w)), int(round(y + h))
    x1, y1 = max(x1, x0 + 4), max(y1, y0 + 4)
    height, width = grey.shape
    rows = np.clip(np.arange(y0, y1), 0, height - 1)
    columns = np.clip(np.arange(x0, x1), 0, width - 1)
    return grey[np.ix_(rows, columns)]


def _cut_off(r, picture):
    """The picture ending somewhere at the text: a box that goes on beyond it shows the edge's pixels again."""
    x, y, w, h = loose_box(r, picture, cut=1.0)
    grey = cut_out(picture.grey, (x, y, w, h))
    left, top = round(x), round(y)
    signs = [(x0 - left, y0 - top, x1 - left, y1 - top, sign) for x0, y0, x1, y1, sign in picture.signs]
    x, y, w, h = picture.tight
    return replace(picture, grey=grey, signs=signs, tight=(x - left, y - top, w, h))


def sample(r, picture):
    """One training sample: normalised crop and text, or None when it shows more than the network has steps for."""
    if r.random() < .05:
        picture = _cut_off(r, picture)
    box = loose_box(r, picture, cut=.05)
    text = label(picture, box)
    crop = cut_out(picture.grey, box)
    if crop.std() < .4 or len(text) > 9:
        return None
    if r.random() < .12:
        crop = cv2.resize(crop, (max(8, int(crop.shape[1] * r.uniform(.8, 1.28))), crop.shape[0]))
    return normalise(crop), text

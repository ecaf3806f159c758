"""Light on the panel, and what a camera makes of it."""

import math

import cv2
import numpy as np


def panel_edges(r, canvas, line_width, lean):
    """Where the panel ends: 1 inside, 0 outside."""
    inside = np.zeros((canvas.height, canvas.width), np.uint8)
    def room(): return r.choice([r.uniform(8, 40), r.uniform(20, 90), 400])
    left, top, right, bottom = -room() - lean, -room(), line_width + room() + lean, 100 + room()
    canvas.fill(inside, canvas.project([[(left, top), (right, top), (right, bottom), (left, bottom)]])[0], 255)
    return inside.astype(np.float32) / 255


def _blob(r, xx, yy, height, width, size):
    cx, cy = r.uniform(0, width), r.uniform(0, height)
    sx, sy = size * r.uniform(.06, .6), size * r.uniform(.05, .35)
    a = r.uniform(0, math.pi)
    u, v = (xx - cx) * math.cos(a) + (yy - cy) * math.sin(a), -(xx - cx) * math.sin(a) + (yy - cy) * math.cos(a)
    k = r.choice([1, 1, 3])
    return np.exp(-((u * u / (2 * sx * sx) + v * v / (2 * sy * sy)) ** k))


class Light:
    """One lighting of one panel. `shine` gives the brightness, 0 to 1, for any set of lit segments."""

    def __init__(self, r, style, height, width, px, usual=False):
        yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
        self.lit_style, self.px = style.lit, px
        gx, gy = r.uniform(-.3, .3), r.uniform(-.3, .3)
        slope = 1 + gx * (xx / width - .5) + gy * (yy / height - .5)
        ground = r.uniform(.35, .95)
        if style.lit:
            ground *= r.uniform(.03, .4)
            self.amplitude = r.uniform(.25, .95)
        else:
            self.amplitude = -ground * r.choice([r.uniform(.2 if usual else .10, .3), r.uniform(.25, .92)])
        self.halo = r.uniform(.1, .45) if style.lit and r.random() < .6 else 0
        self.shadow = ((r.uniform(.01, .06) * px, r.uniform(.01, .06) * px, r.uniform(.1, .38))
                       if not style.lit and r.random() < .35 else None)
        self.ground = ground * slope
        self.bezel = r.choice([r.uniform(0, .2), r.uniform(.2, .8), r.uniform(.85, 1.05)])
        self.frame = r.uniform(0, .5) if r.random() < .4 else None
        self.gain, self.add, self.spots = np.ones_like(xx), np.zeros_like(xx), np.zeros_like(xx)
        if r.random() < (.6 if usual else .4):
            a = r.uniform(0, 2 * math.pi)
            d = (xx - width * r.random()) * math.cos(a) + (yy - height * r.random()) * math.sin(a)
            edge = 1 / (1 + np.exp(-np.clip(d / r.uniform(.5, max(1, px * .2)), -30, 30)))
            if r.random() < .6:
                self.gain *= 1 - r.uniform(.1, .6) * edge
            else:
                self.add += r.uniform(.05, .3) * edge
        if r.random() < .16:
            # A window's reflection.
            corners = np.float32([[r.uniform(0, width), r.uniform(0, height)] for _ in range(4)])
            pane = np.zeros((height, width), np.uint8)
            cv2.fillConvexPoly(pane, cv2.convexHull(np.int32(corners)), 255)
            soft = cv2.GaussianBlur(pane.astype(np.float32) / 255, (0, 0), max(.5, px * r.uniform(.01, .08)))
            self.add += r.uniform(.05, .45) * soft
        if r.random() < .3:
            for _ in range(r.randint(1, 3)):
                spot = r.uniform(.1, 1.1) * _blob(r, xx, yy, height, width, px)
                self.add += spot
                self.spots += spot
        if r.random() < .08:
            # Scratches.
            lines = np.zeros((height, width), np.uint8)
            for _ in range(r.randint(1, 4)):
                cv2.line(lines, (r.randrange(width), r.randrange(height)), (r.randrange(width), r.randrange(height)),
                         255, 1, cv2.LINE_AA)
            self.add += lines.astype(np.float32) / 255 * r.uniform(-.2, .3)
        self.exposure = r.uniform(.45, 1.12)
        self.noise = (.015 if usual else .03) * r.random() ** 1.7
        self.sigma = px / 100 * abs(r.gauss(0, 1.5 if usual else 2.6)) + .3 if r.random() < .7 else 0
        self.floor = max(.03, 1.4 * self.noise)

    def dazzle(self, r, cell):
        """Puts light over a cell that hides it."""
        x, y = np.concatenate(list(cell.values())).mean(0)
        yy, xx = np.mgrid[0:self.gain.shape[0], 0:self.gain.shape[1]].astype(np.float32)
        size = self.px * r.uniform(.15, .5)
        self.add += r.uniform(1.2, 2) * np.exp(-(((xx - x) ** 2 + (yy - y) ** 2) / (2 * size * size)) ** r.choice([1, 3]))
        self.exposure = max(self.exposure, .9)

    def spottiness(self):
        """How much spots of light differ, at each pixel, within a segment's length around it: their standard deviation."""
        size = max(3, int(self.px * .35))
        mean, square = (cv2.blur(np.minimum(self.spots, 1) ** k, (size, size)) for k in (1, 2))
        return np.sqrt(np.maximum(square - mean * mean, 0)) * self.exposure

    def shine(self, mask, panel):
        ground = self.ground + self.amplitude * mask
        if self.halo:
            ground = ground + cv2.GaussianBlur(mask, (0, 0), max(.5, self.px * .06)) * self.halo
        if self.shadow:
            dx, dy, depth = self.shadow
            move = np.float32([[1, 0, dx], [0, 1, dy]])
            ground = ground + self.amplitude * depth * cv2.warpAffine(mask, move, (mask.shape[1], mask.shape[0]))
        image = ground * panel + self.bezel * (1 - panel)
        if self.frame is not None:
            rim = np.clip(1 - np.abs(panel - .5) * 2, 0, 1)
            image = image * (1 - rim) + self.frame * rim
        return np.clip((image * self.gain + self.add) * self.exposure, 0, 1)


def _defocus(radius):
    size = max(3, int(2 * math.ceil(radius) + 1))
    centre = size // 2
    yy, xx = np.mgrid[0:size, 0:size]
    kernel = (np.hypot(xx - centre, yy - centre) <= radius).astype(np.float32)
    return kernel / kernel.sum()


def camera(r, image, px, level, sigma, held_out=False):
    """Blur, motion, low resolution, noise, compression. Returns uint8."""
    height, width = image.shape
    image = image.astype(np.float32)
    if sigma > 0:
        image = (cv2.filter2D(image, -1, _defocus(max(1, sigma * 1.6)), borderType=cv2.BORDER_REPLICATE) if held_out
                 else cv2.GaussianBlur(image, (0, 0), sigma))
    if r.random() < .12:
        length = max(2, int(px * r.uniform(.03, .16)))
        kernel = np.zeros((length, length), np.float32)
        cv2.line(kernel, (0, r.randint(0, length - 1)), (length - 1, r.randint(0, length - 1)), 1)
        image = cv2.filter2D(image, -1, kernel / kernel.sum(), borderType=cv2.BORDER_REPLICATE)
    if r.random() < .3 and px > 24:
        f = r.uniform(max(.3, 13 / px), .85)
        small = cv2.resize(image, None, fx=f, fy=f, interpolation=cv2.INTER_AREA)
        image = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    noise = np.random.default_rng(r.getrandbits(32))
    if held_out:
        image = image + noise.standard_normal(image.shape).astype(np.float32) * level * np.sqrt(np.clip(image, .02, 1))
    else:
        image = image + noise.standard_normal(image.shape).astype(np.float32) * level
    if r.random() < .2:
        image = np.clip(image, 0, 1) ** r.uniform(.6, 1.6)
    grey = (np.clip(image, 0, 1) * 255).astype(np.uint8)
    if r.random() < .35:
        quality = r.randint(25, 90) if not held_out else r.randint(35, 70)
        grey = cv2.imdecode(cv2.imencode(".jpg", grey, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], 0)
    return grey

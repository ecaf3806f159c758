"""Reads lines of displays with other readers, for scripts/vitalsnap-bench.

Gets JSON on standard input: {"engine", "variant", "folder", "lines": [{"path", "box", "turned"}]}, box as x y w h or null for all
of the picture. Cuts the box out in grey, hands it to the engine, and prints one JSON object a line: {"text", "confidence",
"seconds"}. Of a text only digits, point and minus are kept: nothing else is measured."""
import json
import os
import subprocess
import sys
import tempfile
import time

import cv2

KEPT = set("0123456789.-")


def kept(text):
    return "".join(c for c in text if c in KEPT)


def crop(folder, line):
    image = cv2.imread(os.path.join(folder, line["path"]), cv2.IMREAD_GRAYSCALE)
    if image is None:
        return None
    if line["box"]:
        x, y, w, h = line["box"]
        rows, columns = image.shape
        left, top = max(int(x), 0), max(int(y), 0)
        image = image[top:max(min(int(y + h + 0.5), rows), top + 1), left:max(min(int(x + w + 0.5), columns), left + 1)]
    if image.size == 0:
        return None
    # The box is one of the file's picture: what is upside down is turned behind it.
    return cv2.rotate(image, cv2.ROTATE_180) if line["turned"] else image


def binarised(image):
    large = cv2.resize(image, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC) if image.shape[0] < 100 else image
    _, result = cv2.threshold(cv2.GaussianBlur(large, (5, 5), 0), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    # Dark digits on light ground: most of a display is ground.
    return 255 - result if (result > 0).mean() < 0.5 else result


def rapidocr(_):
    from rapidocr import RapidOCR

    engine = RapidOCR()

    def read(image):
        found = engine(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), use_det=False, use_cls=False, use_rec=True)
        texts, scores = getattr(found, "txts", None) or (), getattr(found, "scores", None) or ()
        return (kept(texts[0]), float(scores[0])) if len(texts) else ("", 0.0)

    return read


def through_file(arguments):
    """A reader that is a program of its own; a picture's file is its last argument."""
    path = os.path.join(tempfile.mkdtemp(), "crop.png")

    def read(image):
        cv2.imwrite(path, image)
        done = subprocess.run([path if a == "@" else a for a in arguments], capture_output=True, text=True)
        return done

    return read


def tesseract(variant):
    run = through_file(
        ["tesseract", "@", "-", "--psm", "7", "-c", "tessedit_char_whitelist=0123456789.-", "tsv"])

    def read(image):
        done = run(binarised(image) if variant == "binarised" else image)
        texts, least = "", 100.0
        for row in done.stdout.splitlines()[1:]:
            fields = row.split("\t")
            if len(fields) == 12 and fields[0] == "5" and fields[11].strip():
                texts += fields[11].strip()
                least = min(least, float(fields[10]))
        return kept(texts), least / 100 if texts else 0.0

    return read


def ssocr(variant):
    run = through_file(["ssocr", "-d", "-1", *variant.split(), "@"])

    def read(image):
        done = run(image)
        text = kept(done.stdout.strip())
        # It says nothing of how sure it is: what it reads without an objection is an answer.
        return text, 1.0 if text and done.returncode == 0 and set(done.stdout.strip()) <= KEPT else 0.0

    return read


def main():
    work = json.load(sys.stdin)
    read = {"rapidocr": rapidocr, "tesseract": tesseract, "ssocr": ssocr}[work["engine"]](work["variant"])
    out = os.fdopen(os.dup(1), "w")
    # What an engine prints of itself is no result.
    os.dup2(2, 1)
    for line in work["lines"]:
        image = crop(work["folder"], line)
        start = time.monotonic()
        text, confidence = read(image) if image is not None else ("", 0.0)
        print(json.dumps({"text": text, "confidence": confidence, "seconds": time.monotonic() - start}), file=out)
    out.flush()


main()

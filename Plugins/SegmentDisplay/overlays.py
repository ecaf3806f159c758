#!/usr/bin/env python3
"""Draws the overlay of every meter from the table in Sources/meters.c: the display's window, a guide for each row, and
hints. With --check nothing is written and a difference exits 1. Needs a C compiler (CC, or cc)."""
import ctypes
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "assets/overlays")
WIDTH = 1000
ROLES = {1: "value", 2: "systolic", 3: "diastolic", 4: "pulse", 5: "oxygen-saturation"}
HINTS = {"value": "", "systolic": "SYS", "diastolic": "DIA", "pulse": "PULSE", "oxygen-saturation": "SpO2"}


class Text(ctypes.Structure):
    _fields_ = [("p", ctypes.POINTER(ctypes.c_char)), ("n", ctypes.c_uint64)]


class Row(ctypes.Structure):
    _fields_ = [("role", ctypes.c_uint16), ("flags", ctypes.c_uint16), ("reserved", ctypes.c_uint32),
                ("box", ctypes.c_float * 4), ("characters", Text)]


class Layout(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("n_rows", ctypes.c_uint32), ("aspect", ctypes.c_float),
                ("reserved", ctypes.c_uint32), ("rows", ctypes.POINTER(Row)), ("overlay", Text)]


def layouts():
    """Every meter's id and layout, from the compiled table: the same that the host is given."""
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "meters.so")
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-shared", "-fPIC",
                        "-I" + os.path.join(HERE, "Sources/include"), "-I" + os.path.join(HERE, "../../SDK/include"),
                        os.path.join(HERE, "Sources/meters.c"), "-o", library], check=True)
        table = ctypes.CDLL(library)
    # Ids are asked for, so that this script does not know how the table is kept.
    for meter in range(1, 20000):
        layout = Layout(struct_size=ctypes.sizeof(Layout))
        if table.display_layout(ctypes.c_uint32(meter), ctypes.byref(layout)) == 0:
            yield meter, layout


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def rectangle(x, y, width, height, radius, extra):
    place = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" rx="{number(radius)}"'
    # A dark line under the light one: it shows on every background.
    return [f'  <rect {place} fill="none" stroke="#000" stroke-opacity=".55" stroke-width="12"/>',
            f'  <rect {extra} {place} fill="none" stroke="#fff" stroke-width="6"/>']


def hint(x, y, size, text, anchor="start"):
    return [f'  <text x="{number(x)}" y="{number(y)}" font-family="sans-serif" font-size="{number(size)}" '
            f'text-anchor="{anchor}" fill="#fff" stroke="#000" stroke-opacity=".55" stroke-width="4" '
            f'paint-order="stroke">{text}</text>']


def drawing(meter, layout):
    height = WIDTH / layout.aspect
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {number(height)}" data-meter="{meter}">',
             "  <title>Bring the display into the frame, its digits into the boxes</title>"]
    lines += rectangle(8, 8, WIDTH - 16, height - 16, 36, 'data-part="window"')
    for index in range(layout.n_rows):
        row = layout.rows[index]
        role = ROLES[row.role]
        x, y, w, h = row.box[0] * WIDTH, row.box[1] * height, row.box[2] * WIDTH, row.box[3] * height
        dashes = 'stroke-dasharray="28 18"' + (' stroke-opacity=".7"' if row.flags & 1 else "")
        lines += rectangle(x, y, w, h, 18, f'data-row="{index}" data-role="{role}" {dashes}')
        if HINTS[role]:
            lines += hint(x - 18, y + h / 2 + 16, 48, HINTS[role], "end")
    return "\n".join(lines + ["</svg>", ""])


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit("usage: Plugins/SegmentDisplay/overlays.py [--check]")
    wanted = {layout.overlay.p[:layout.overlay.n].decode(): drawing(meter, layout) for meter, layout in layouts()}
    os.makedirs(FOLDER, exist_ok=True)
    stale = sorted(set(os.listdir(FOLDER)) - set(wanted))
    for name, text in wanted.items():
        path = os.path.join(FOLDER, name)
        if (open(path).read() if os.path.exists(path) else None) == text:
            continue
        stale.append(name)
        if not check:
            with open(path, "w") as file:
                file.write(text)
    if check and stale:
        sys.exit("overlays: out of date, run Plugins/SegmentDisplay/overlays.py: " + ", ".join(stale))


if __name__ == "__main__":
    main()

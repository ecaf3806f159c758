"""Draws what the camera sees: a meter of nobody's, with and without a reflection."""

import pathlib

SEGMENTS = {"0": "abcdef", "1": "bc", "2": "abged", "3": "abgcd", "4": "fgbc", "5": "afgcd", "6": "afgedc", "7": "abc",
            "8": "abcdefg", "9": "abcdfg"}
SHAPES = {"a": "8,0 52,0 44,10 16,10", "b": "56,4 60,10 57,46 47,42 49,14", "c": "56,54 53,92 44,84 46,57",
          "d": "4,96 48,96 40,86 12,86", "e": "0,92 3,54 12,57 10,84", "f": "4,46 8,8 17,14 14,42",
          "g": "8,50 15,45 45,45 50,50 44,55 14,55"}

DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 384 336">
<rect x="5" y="5" width="374" height="326" rx="34" fill="none" stroke="#000" stroke-opacity=".6" stroke-width="10"/>
<rect x="5" y="5" width="374" height="326" rx="34" fill="none" stroke="#fff" stroke-width="5"/>
<rect x="52" y="92" width="280" height="150" rx="10" fill="none" stroke="#ffd34d" stroke-width="3" stroke-dasharray="9 6"/>
</svg>"""


def digits(text, x, y, scale):
    parts = []
    for character in text:
        if character == ".":
            parts.append(f'<circle cx="{x - 6 * scale}" cy="{y + 93 * scale}" r="{6 * scale}"/>')
            continue
        shapes = "".join(f'<polygon points="{SHAPES[segment]}"/>' for segment in SEGMENTS[character])
        parts.append(f'<g transform="translate({x} {y}) scale({scale})">{shapes}</g>')
        x += 78 * scale
    return "".join(parts)


def scene(text, glare):
    """640x480: a meter on a table."""
    spot = '<ellipse cx="384" cy="204" rx="62" ry="56" fill="url(#g)"/>' if glare else ""
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480" viewBox="0 0 640 480">
<defs><radialGradient id="g"><stop offset=".35" stop-color="#fff"/><stop offset="1" stop-color="#fff" stop-opacity="0"/>
</radialGradient><linearGradient id="t" x2="1" y2="1"><stop stop-color="#8c7358"/><stop offset="1" stop-color="#5f4b37"/>
</linearGradient></defs>
<rect width="640" height="480" fill="url(#t)"/>
<rect x="134" y="78" width="372" height="330" rx="36" fill="#26313d"/>
<rect x="166" y="128" width="308" height="206" rx="14" fill="#b9c4b2"/>
<g fill="#1b2420">{digits(text, 222, 166, 1.3)}</g>
<text x="372" y="314" font-family="DejaVu Sans" font-size="22" fill="#1b2420">mmol/L</text>
<circle cx="320" cy="372" r="17" fill="#4b5b6c"/>{spot}</svg>"""


def draw(browser, folder):
    """Makes the files and returns their paths by name."""
    folder = pathlib.Path(folder)
    paths = {"drawing": folder / "overlay.svg"}
    paths["drawing"].write_text(DRAWING)
    page = browser.new_page(viewport={"width": 640, "height": 480})
    crop = {"x": 166, "y": 128, "width": 308, "height": 206}
    for name, svg, clip in [("clear", scene("5.4", False), None), ("glare", scene("5.4", True), None),
                            ("crop", scene("5.4", False), crop)]:
        page.set_content(f"<body style='margin:0'>{svg}</body>")
        paths[name] = folder / f"{name}.jpg"
        page.screenshot(path=paths[name], type="jpeg", quality=90, clip=clip)
    page.close()
    return {name: str(path) for name, path in paths.items()}

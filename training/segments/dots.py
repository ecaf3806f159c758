"""The digits of displays of five by seven dots, each in the ways that such displays write it."""

import numpy as np

# Lines from the top; the lowest bit is the right column.
WAYS = {
    "0": ["0E 11 11 11 11 11 0E", "0E 11 13 15 19 11 0E", "0E 11 11 15 11 11 0E",
          "0E 1B 1B 1B 1B 1B 0E"],
    "1": ["04 0C 04 04 04 04 0E", "04 0C 04 04 04 04 04", "04 0C 14 04 04 04 1F",
          "06 0E 16 06 06 06 06", "02 06 0A 02 02 02 02", "0C 1C 0C 0C 0C 0C 0C",
          "04 1C 04 04 04 04 04", "06 1E 06 06 06 06 0F"],
    "2": ["0E 11 01 02 04 08 1F", "0E 11 01 06 08 10 1F", "1E 01 01 0E 10 10 1F"],
    "3": ["1F 02 04 02 01 11 0E", "0E 11 01 06 01 11 0E", "1E 01 01 0E 01 01 1E"],
    "4": ["02 06 0A 12 1F 02 02", "08 08 0A 12 1F 02 02", "11 11 11 1F 01 01 01",
          "01 03 05 09 1F 01 01", "10 12 12 12 1F 02 02"],
    "5": ["1F 10 1E 01 01 11 0E", "1F 10 10 1E 01 01 1E", "1F 10 16 19 01 11 0E"],
    "6": ["06 08 10 1E 11 11 0E", "0E 10 10 1E 11 11 0E", "0E 11 10 1E 11 11 0E",
          "02 04 08 1E 11 11 0E"],
    "7": ["1F 01 02 04 08 08 08", "1F 01 01 02 02 04 04", "1F 11 01 02 04 04 04"],
    "8": ["0E 11 11 0E 11 11 0E", "0E 1B 1B 0E 1B 1B 0E"],
    "9": ["0E 11 11 0F 01 02 0C", "0E 11 11 0F 01 01 0E", "0E 11 11 0F 01 11 0E",
          "0E 11 11 0F 02 04 08"],
}


def letters(r):
    """By the digit, which dots are lit in one display."""
    pixels = {}
    for digit, ways in WAYS.items():
        rows = [int(line, 16) for line in r.choice(ways).split()]
        dots = np.array([[row >> bit & 1 for bit in range(4, -1, -1)] for row in rows], bool)
        columns = np.flatnonzero(dots.any(0))
        pixels[digit] = dots[:, columns[0]:columns[-1] + 1]
    return pixels

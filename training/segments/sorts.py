"""The sorts of pictures that are rendered."""

from enum import Enum


class Sort(Enum):
    """What a picture shows, and how strictly it is labelled."""
    # Everything that a camera may ever see.
    BROAD = "broad"
    # Light and noise as a person with a steady hand has them.
    USUAL = "usual"
    # The usual, with buttons, fields and units close to the digits, and labels of what a person could know alone.
    CROWDED = "crowded"
    # Digits that no segments draw.
    TYPE = "type"
    # What no training sees, labelled as strictly.
    HELD_OUT = "held-out"

    @property
    def is_usual(self):
        return self in (Sort.USUAL, Sort.CROWDED, Sort.TYPE)

    @property
    def is_strict(self):
        return self in (Sort.CROWDED, Sort.HELD_OUT)

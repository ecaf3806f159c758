"""The scenarios, in the order in which they run: each module registers its own."""

from scenarios import peers  # noqa: F401 isort:skip
from scenarios import finding, reading  # noqa: F401 isort:skip
from scenarios import pairing, bonds, faults, passive, beside_bluetoothd, cameras, groups  # noqa: F401 isort:skip

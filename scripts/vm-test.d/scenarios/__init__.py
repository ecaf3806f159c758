"""The scenarios, in the order in which they run: each module registers its own."""

import os

from scenarios import peers  # noqa: F401 isort:skip
from scenarios import finding, reading  # noqa: F401 isort:skip
from scenarios import pairing, bonds, faults, passive, beside_bluetoothd  # noqa: F401 isort:skip

# Not part of every run: they need the kernel's virtual camera in the guest.
if os.environ.get("METERHOST_VM_CAMERAS"):
    from scenarios import cameras  # noqa: F401 isort:skip

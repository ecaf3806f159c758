"""The scenarios, in the order in which they run."""

from scenarios import peers  # noqa: F401

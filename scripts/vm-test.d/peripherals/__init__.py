"""Meters as the Bluetooth SIG's specifications have them, written apart from the host's own virtual meters."""

"""Renders seven-segment displays, and trains the network that reads them."""

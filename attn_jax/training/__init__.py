"""Losses, optimiser, jitted step, loop, metrics, checkpoints."""

"""Harnesses that try to break the rest: one command each, its figures under docs/reliability."""

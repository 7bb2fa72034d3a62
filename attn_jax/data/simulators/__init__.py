"""Corpora that we generate: their truth is known, so explanations can be scored against it."""

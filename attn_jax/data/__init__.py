"""Corpora: specs and loaders, simulators, vocabulary, batches."""

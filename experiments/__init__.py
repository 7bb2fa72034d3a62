"""One runnable module per paper or claim: `python -m experiments.NAME`."""

"""Side-by-side timings: `python -m benchmarks.NAME`."""

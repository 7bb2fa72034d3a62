"""One file per question asked of attention; each a pure function of one example."""

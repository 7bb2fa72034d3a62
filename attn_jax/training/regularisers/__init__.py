"""Loss terms that change what attention means: one file each, to be listed in `Objective.terms`."""

"""One palette for every figure: apart under colour blindness, in grey print, on white and on black.

A class keeps its colour in all figures, and so does each method; no class shares one with a method.
"""

CLASSES = ("#db7b12", "#1f6fb2", "#3c9d76", "#b0589a", "#7a7f87", "#a3552c")
ATTENTION = "#5b4fa8"
GRADIENT = "#b23a48"
LOO = "#5aa02c"
SEARCH = "#b98a1d"
EXACT = "#5b4fa8"
NULL = "#868b94"


def class_colours(count: int) -> list[str]:
    """A colour a class; beyond the palette it starts again, as no eye tells more apart."""
    return [CLASSES[label % len(CLASSES)] for label in range(count)]

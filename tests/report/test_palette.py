import itertools

import numpy as np
import pytest

from attn_jax.report import palette

GROUPS = {
    "classes": palette.CLASSES[:4],
    "rankings": (palette.ATTENTION, palette.GRADIENT, palette.LOO, palette.NULL),
    "adversaries": (palette.SEARCH, palette.EXACT, palette.NULL),
}
# Machado, Oliveira & Fernandes (2009), full strength, on linear RGB.
SEEN_BY = {
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritanopia": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
    "everybody": np.eye(3).tolist(),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> np.ndarray:
    values = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    x, y, z = np.cbrt(np.clip(TO_XYZ @ np.clip(rgb, 0, 1) / (0.9505, 1, 1.089), 0.008856, None))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eye", SEEN_BY)
@pytest.mark.parametrize("group", GROUPS)
def test_colours_of_one_figure_are_apart_for_every_eye(group: str, eye: str):
    seen = [lab(np.array(SEEN_BY[eye]) @ linear(colour)) for colour in GROUPS[group]]
    distances = [np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)]
    assert min(distances) > 12


def test_the_two_classes_are_apart_in_grey_print():
    lightness = [lab(linear(colour))[0] for colour in palette.CLASSES[:2]]
    assert abs(lightness[0] - lightness[1]) > 12


@pytest.mark.parametrize("paper", ["#ffffff", "#1b1e23"])
def test_every_colour_stands_out_from_the_page(paper: str):
    def luminance(colour: str) -> float:
        return float(TO_XYZ[1] @ linear(colour)) + 0.05

    for colour in {*palette.CLASSES, *itertools.chain(*GROUPS.values())}:
        low, high = sorted([luminance(colour), luminance(paper)])
        assert high / low > 2.4, colour


def test_a_class_shares_its_colour_with_no_method():
    methods = {palette.ATTENTION, palette.GRADIENT, palette.LOO, palette.SEARCH, palette.NULL}
    assert not methods & set(palette.CLASSES)
    assert palette.class_colours(8)[6:] == list(palette.CLASSES[:2])

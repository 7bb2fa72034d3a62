"""The time left is that of the mean step, compilation and what was done before left out."""

import io

import pytest

from attn_jax.progress import Bar


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def bar(clock):
    class Timed(Bar):
        _clock = staticmethod(clock)

    with Timed(total=100, file=io.StringIO()) as made:
        yield made


def made(bar, clock, steps, seconds):
    for _ in range(steps):
        clock.now += seconds
        bar.update()


def test_compilation_is_not_taken_for_the_rate(bar, clock):
    made(bar, clock, 1, 60.0)
    made(bar, clock, 9, 2.0)
    assert bar.format_dict["rate"] == pytest.approx(0.5)
    assert "2.00s/it" in str(bar)


def test_one_slow_moment_does_not_move_it_far(bar, clock):
    made(bar, clock, 41, 1.0)
    made(bar, clock, 1, 8.0)
    assert 1 / bar.format_dict["rate"] == pytest.approx(48 / 41)


def test_what_an_earlier_process_did_counts_as_done_but_not_as_fast(bar, clock):
    made(bar, clock, 3, 1.0)
    bar.skip(40)
    made(bar, clock, 6, 2.0)
    assert bar.n == 49
    assert bar.format_dict["rate"] == pytest.approx(0.5)


def test_a_bar_that_is_switched_off_is_silent(capsys):
    with Bar(total=3, disable=True) as bar:
        bar.update()
        bar.skip(1)
    assert capsys.readouterr() == ("", "")

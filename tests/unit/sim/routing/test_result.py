import pytest

from bayplan.sim.routing.result import Result, Served, line_s, quantile
from unit.sim.routing.traces import request

TOKEN_S = 0.001


def result(*ttfts_s, tokens=1000):
    """Requests of a second of prefill with these times; None where no first token came."""
    return Result([Served(request(n, tokens=tokens), ttft, None, 0) for n, ttft in enumerate(ttfts_s)], TOKEN_S)


MET = {
    "all at once": ([0.1] * 20, "ABCD"),
    "one in twenty beyond its line of 3 s": ([0.1] * 19 + [3.1], "ABCD"),
    "two in twenty beyond it": ([0.1] * 18 + [3.1] * 2, "BCD"),
    "a mean above 2 s": ([0.1] * 19 + [60.0], "ACD"),
    "seven in ten within 2 s": ([1.9] * 14 + [2.1] * 6, "ABCD"),
    "fewer than seven in ten": ([1.9] * 13 + [2.05] * 7, "ABD"),
    "nine in ten within 5 s": ([0.1] * 18 + [5.1] * 2, "BCD"),
    "fewer than nine in ten": ([0.1] * 17 + [5.1] * 3, "BC"),
    "one that never had a first token": ([0.1] * 19 + [None], "ACD"),
}


@pytest.mark.parametrize(("times", "met"), MET.values(), ids=MET)
def test_criteria(times, met):
    assert "".join(name for name, holds in result(*times).met.items() if holds) == met


def test_the_line_is_a_second_and_twice_the_prefill():
    assert line_s(1000, TOKEN_S) == 3.0


QUANTILES = {
    "none": ([], 0.9, 0.0),
    "one": ([4.0], 0.99, 4.0),
    "nine in ten": (list(range(1, 11)), 0.9, 9),
    "more than nine in ten": (list(range(1, 11)), 0.91, 10),
    "the middle": ([3.0, 1.0, 2.0], 0.5, 2.0),
}


@pytest.mark.parametrize(("values", "share", "found"), QUANTILES.values(), ids=QUANTILES)
def test_quantiles(values, share, found):
    assert quantile(values, share) == found


def test_times_of_a_class_of_lengths():
    short, long = result(1.0, 2.0, tokens=100), result(9.0, None, tokens=5000)
    both = Result([*short.served, *long.served], TOKEN_S)

    assert both.ttft_s(1.0, most_tokens=1000) == 2.0
    assert both.ttft_s(0.5, least_tokens=1000) == 9.0
    assert both.ttft_s(1.0, least_tokens=1000) == float("inf")


def test_figures_of_a_replay():
    served = [
        Served(request(1, 10.0, tokens=100, output=5), 1.0, 13.0, 50),
        Served(request(2, 10.0, tokens=100), 3.0, 13.0, 0),
    ]
    made = Result(served, TOKEN_S)

    assert (made.mean_ttft_s, made.reuse) == (2.0, 0.25)
    assert [each.tpot_s for each in served] == [0.5, None]
    assert made.tpot_s(0.99) == 0.5


def test_nothing_came():
    made = result(None)

    assert made.mean_ttft_s == float("inf")
    assert made.served[0].tpot_s is None
    assert Result([], TOKEN_S).reuse == 0.0

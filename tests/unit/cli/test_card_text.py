import pytest

from bayplan.cli.card_text import cards, money, ranges, score, several, sizes


def card(index=0, **others):
    return {"runtime": "cuda", "index": index, "memory_mib": 1024, "compute_percent": None, "mig": None, **others}


CARDS = {
    "none": ([], "-"),
    "one": ([card(3)], "cuda:3"),
    "a run": ([card(0), card(1), card(2)], "cuda:0-2"),
    "a gap": ([card(0), card(1), card(4)], "cuda:0-1,4"),
    "two runtimes": ([card(0), card(0, runtime="rocm")], "cuda:0 rocm:0"),
    "an instance": ([card(2, mig={"profile": "1g.10gb", "start": 4})], "cuda:2 1g.10gb@4"),
    "instances of one card": (
        [card(2, mig={"profile": "1g.10gb", "start": start}) for start in (4, 6, 5, 0)], "cuda:2 1g.10gb@0,4-6",
    ),
    "several of no known card": ([card(None, mig={"profile": "1g.5gb", "start": None})] * 2, "any card 1g.5gb x 2"),
    "an instance of no known card": ([card(None, mig={"profile": "1g.5gb", "start": None})], "any card 1g.5gb"),
}  # fmt: skip


@pytest.mark.parametrize(("gpus", "expected"), CARDS.values(), ids=CARDS)
def test_cards(gpus, expected):
    assert cards(gpus) == expected


def test_ranges_are_ordered():
    assert ranges([5, 3, 4, 9]) == "3-5,9"


SIZES = {
    "equal": ([card(0), card(1)], "1.0"),
    "different": ([card(0), card(1, memory_mib=512)], "1.0, 0.5"),
    "with compute": ([card(compute_percent=25.0)], "1.0 + 25 %"),
    "compute alone": ([card(memory_mib=None, compute_percent=12.5)], "12.5 %"),
    "a whole card of unknown size": ([card(memory_mib=None)], "whole"),
    "an instance": ([card(memory_mib=None, mig={"profile": "1g.5gb", "start": 0})], "instance"),
    "none": ([], "-"),
}  # fmt: skip


@pytest.mark.parametrize(("gpus", "expected"), SIZES.values(), ids=SIZES)
def test_sizes(gpus, expected):
    assert sizes(gpus) == expected


def test_numbers():
    assert (score(0.66666), score(None), money(3), money(None)) == ("0.667", "-", "3.00", "unknown")


def test_one_more_name_is_shorter_than_saying_so():
    assert several(["a", "b", "c", "d"]) == "a, b, c, d"
    assert several(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"

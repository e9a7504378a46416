"""What aliases repeat is measured as if it were written out."""

from __future__ import annotations

import pytest

from bayplan.manifests.expansion import Expansion, measure, merge_into

MEASURES = {
    "a scalar": (1, Expansion(nodes=1, characters=0, height=0)),
    "a text": ("abc", Expansion(nodes=1, characters=3, height=0)),
    "an empty list": ([], Expansion(nodes=1, characters=0, height=1)),
    "a mapping": ({"ab": 1, "c": "def"}, Expansion(nodes=5, characters=6, height=1)),
    "nested": ([{"a": [1, 2]}, []], Expansion(nodes=7, characters=1, height=3)),
}


@pytest.mark.parametrize(("value", "expansion"), MEASURES.values(), ids=MEASURES)
def test_measures(value, expansion):
    assert measure(value, 100) == expansion


def test_a_shared_value_counts_each_time():
    shared = [1, 2]

    assert measure([shared, shared], 100).nodes == 7


def test_a_bomb_costs_no_more_than_it_is_allowed():
    value = ["x"]
    for _ in range(60):
        value = [value] * 10

    assert 1_000 < measure(value, 1_000).nodes < 20_000


def test_own_keys_win_then_earlier_sources():
    own = {"a": 1}
    merge_into(own, [{"a": 2, "b": 2}, {"b": 3, "c": 3}])

    assert own == {"a": 1, "b": 2, "c": 3}

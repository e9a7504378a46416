"""Mappings that can be the key of a cache."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys

import pytest

from bayplan.cluster.frozen_map import EMPTY, FrozenMap

ITEMS = {"b": 2, "a": 1}

EQUAL = {
    "a dict": ({"a": 1, "b": 2}, True),
    "another order": (FrozenMap({"a": 1, "b": 2}), True),
    "pairs": (FrozenMap([("a", 1), ("b", 2)]), True),
    "a value differs": ({"a": 1, "b": 3}, False),
    "a key more": ({"a": 1, "b": 2, "c": 3}, False),
    "no mapping": ([("b", 2), ("a", 1)], False),
}


@pytest.mark.parametrize(("other", "equal"), EQUAL.values(), ids=EQUAL)
def test_equality_looks_at_keys_and_values(other, equal):
    assert (FrozenMap(ITEMS) == other) is equal


def test_equal_maps_have_equal_hashes_whatever_the_order():
    assert hash(FrozenMap(ITEMS)) == hash(FrozenMap({"a": 1, "b": 2}))
    assert len({FrozenMap(ITEMS), FrozenMap({"a": 1, "b": 2}), FrozenMap({"a": 1})}) == 2


def test_it_reads_as_a_mapping_in_the_order_given():
    frozen = FrozenMap(ITEMS)

    assert (list(frozen), len(frozen), frozen["a"], frozen.get("z")) == (["b", "a"], 2, 1, None)
    assert "a" in frozen
    assert "z" not in frozen
    with pytest.raises(KeyError):
        frozen["z"]


def test_nothing_can_be_changed():
    frozen = FrozenMap(ITEMS)

    with pytest.raises(TypeError):
        frozen["a"] = 2
    with pytest.raises(AttributeError):
        frozen.more = 1


def test_what_it_was_made_from_may_change():
    source = dict(ITEMS)
    frozen = FrozenMap(source)
    source["a"] = 99

    assert frozen["a"] == 1


def test_a_copy_is_equal():
    frozen = FrozenMap(ITEMS)
    hash(frozen)

    assert copy.deepcopy(frozen) == frozen
    assert pickle.loads(pickle.dumps(frozen)) == frozen  # noqa: S301 - our own bytes


def test_a_map_from_another_process_is_found_under_its_own_hash():
    # Texts hash differently in every process, so a hash that travels along would miss.
    script = (
        "import pickle, sys; from bayplan.cluster.frozen_map import FrozenMap; m = FrozenMap({'zone': 'a'});"
        " hash(m); sys.stdout.buffer.write(pickle.dumps(m))"
    )
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    sent = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed}
    ).stdout

    assert hash(pickle.loads(sent)) == hash(FrozenMap({"zone": "a"}))  # noqa: S301 - our own bytes


def test_it_shows_what_it_holds():
    assert repr(FrozenMap({"a": 1})) == "FrozenMap({'a': 1})"


def test_empty_is_empty():
    assert len(EMPTY) == 0
    assert not EMPTY

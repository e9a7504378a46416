"""The collector rests inside the block and works again behind it."""

from __future__ import annotations

import gc

import pytest

from bayplan.manifests.collector import collector_paused


@pytest.mark.parametrize("is_large", [True, False])
def test_paused_inside_and_on_again_behind(is_large):
    with collector_paused(is_large=is_large):
        assert not gc.isenabled()
        with collector_paused(is_large=is_large):
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_on_again_after_an_error():
    with pytest.raises(ValueError, match="x"), collector_paused(is_large=True):
        raise ValueError("x")
    assert gc.isenabled()


def test_a_large_tree_is_handed_over_as_old():
    with collector_paused(is_large=True):
        tree = [[number] for number in range(5_000)]

    assert any(item is tree for item in gc.get_objects(generation=2))
    assert gc.get_freeze_count() == 0

"""What endpoints say that they hold."""

import pytest

from bayplan.routing.prefix.block_hashes import Chain
from bayplan.routing.prefix.event_index import CPU, GPU, EventIndex


def chain(*hashes):
    return Chain(hashes, len(hashes))


def test_all_endpoints_at_once():
    index = EventIndex()
    index.store("a", [1, 2], GPU)
    index.store("b", [1, 2, 3], GPU)
    index.store("c", [2, 3], GPU)

    assert index.matched(chain(1, 2, 3, 4), 0.0) == {"a": 2, "b": 3}
    assert index.matched(chain(), 0.0) == {}


def test_media():
    index = EventIndex()
    index.store("a", [1, 2], CPU)
    index.store("a", [1], GPU)
    index.store("b", [1, 2], CPU)

    assert index.matched(chain(1, 2), 0.0) == pytest.approx({"a": 1.8, "b": 1.6})


def test_an_endpoint_that_is_gone_leaves_no_trace():
    index = EventIndex()
    index.store("a", [1], GPU)
    index.guess("a", chain(1), 0.0, 5.0)
    index.forget("a")
    index.store("b", [2], GPU)

    assert index.matched(chain(1), 0.0) == {}
    assert index.endpoint("b").bit == 1
    assert index._holders.keys() == {2}


def test_guesses_end():
    index = EventIndex()
    index.guess("a", chain(1, 2), 0.0, 2.0)
    index.guess("a", chain(1), 1.0, 3.0)

    assert [index.matched(chain(1, 2), now) for now in (1.0, 2.0, 2.5, 3.5)] == [{"a": 2}, {"a": 2}, {"a": 1}, {}]
    index.guess("b", chain(3), 10.0, 12.0)
    assert index._guesses.keys() == {3}


def test_guesses_and_what_is_known_go_together():
    index = EventIndex()
    index.store("a", [1], GPU)
    index.guess("a", chain(1, 2), 0.0, 2.0)

    assert index.matched(chain(1, 2, 3), 1.0) == {"a": 2}


def test_storing_and_removing_twice_is_once():
    index = EventIndex()
    for _ in range(2):
        index.store("a", [1], GPU)
    for _ in range(2):
        index.remove("a", [1], GPU)

    assert index.matched(chain(1), 0.0) == {}
    assert not index._holders

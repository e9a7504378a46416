import pytest

from bayplan.routing.endpoints.kv_event import KvEvent
from bayplan.signals.kv_events.batch import BatchError, read_batch

TOKENS = list(range(8))


def stored(model="m", **more):
    usual = {"token_ids": tuple(TOKENS), "block_hashes": (11, 12), "block_size": 4}
    return KvEvent("stored", model, **(usual | more))


EVENTS = {
    "an array": (["BlockStored", [11, 12], None, TOKENS, 4, None], stored()),
    "an array of a newer engine": (
        ["BlockStored", [11, 12], 10, TOKENS, 4, None, "GPU", None, None, None, "full_attention", None, "new"],
        stored(parent_hash=10, medium="gpu"),
    ),
    "hashes that are bytes": (
        ["BlockStored", [b"a", b"b"], b"p", TOKENS, 4, None, "CPU"],
        stored(block_hashes=(b"a", b"b"), parent_hash=b"p", medium="cpu"),
    ),
    "a map": (
        {"type": "BlockStored", "block_hashes": [11, 12], "token_ids": TOKENS, "block_size": 4, "medium": "GPU"},
        stored(medium="gpu"),
    ),
    "an adapter": (["BlockStored", [11, 12], None, TOKENS, 4, 1, "GPU", "sql"], stored("sql", medium="gpu")),
    "keys that name the adapter": (
        ["BlockStored", [11, 12], None, TOKENS, 4, 1, "GPU", "sql", [["sql"], None]],
        stored("sql", medium="gpu"),
    ),
    "a salt from the second block on": (
        ["BlockStored", [11, 12], None, TOKENS, 4, None, None, None, [None, ["salt"]]],
        stored(token_ids=tuple(TOKENS[:4]), block_hashes=(11,)),
    ),
    "fewer tokens than blocks": (
        ["BlockStored", [11, 12], None, TOKENS[:6], 4],
        stored(token_ids=tuple(TOKENS[:4]), block_hashes=(11,)),
    ),
    "removed": (["BlockRemoved", [11, 12]], KvEvent("removed", "m", block_hashes=(11, 12))),
    "removed from a medium": (
        {"type": "BlockRemoved", "block_hashes": [b"a"], "medium": "CPU"},
        KvEvent("removed", "m", block_hashes=(b"a",), medium="cpu"),
    ),
    "cleared": (["AllBlocksCleared"], KvEvent("cleared", "m")),
    "cleared, as a map": ({"type": "AllBlocksCleared"}, KvEvent("cleared", "m")),
}


@pytest.mark.parametrize(("data", "event"), EVENTS.values(), ids=EVENTS)
@pytest.mark.parametrize("is_map", [False, True], ids=["batch as an array", "batch as a map"])
def test_events(data, event, is_map):
    batch = read_batch({"ts": 5, "events": [data]} if is_map else [5.0, [data], 0], "m")

    assert batch.events == (event,)
    assert batch.time_s == 5.0
    assert batch.left_out == 0


LEFT_OUT = {
    "a second cache of a hybrid model": ["BlockStored", [1], None, TOKENS, 8, None, "GPU", None, None, 1],
    "a sliding window": ["BlockStored", [1], None, TOKENS, 8, None, "GPU", None, None, 0, "sliding_window", 128],
    "removed from a second cache": ["BlockRemoved", [1], "GPU", 2],
    "a salt": ["BlockStored", [1], None, TOKENS, 8, None, None, None, [["salt"]]],
    "pairs of tokens": ["BlockStored", [1], None, [[1, 2], [2, 3]], 2],
    "no whole block": ["BlockStored", [1], None, TOKENS, 16],
}


@pytest.mark.parametrize("data", LEFT_OUT.values(), ids=LEFT_OUT)
def test_events_that_tokens_alone_do_not_tell(data):
    batch = read_batch([5.0, [data, ["AllBlocksCleared"]]], "m")

    assert batch.events == (KvEvent("cleared", "m"),)
    assert batch.left_out == 1


UNREADABLE = {
    "a number": 5,
    "a text": "events",
    "an empty array": [],
    "no events": [5.0],
    "events that are a text": [5.0, "abc"],
    "no time": [None, []],
    "an event that is a number": [5.0, [5]],
    "an empty event": [5.0, [[]]],
    "an unknown kind": [5.0, [["BlockMoved", [1]]]],
    "a kind that is a number": [5.0, [[7, [1]]]],
    "a map without a kind": [5.0, [{"block_hashes": [1]}]],
    "no hashes": [5.0, [["BlockRemoved"]]],
    "hashes of another kind": [5.0, [["BlockRemoved", ["a"]]]],
    "a parent of another kind": [5.0, [["BlockStored", [1], "p", TOKENS, 8]]],
    "no block size": [5.0, [["BlockStored", [1], None, TOKENS]]],
    "a block size of 0": [5.0, [["BlockStored", [1], None, TOKENS, 0]]],
}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_no_batch(data):
    with pytest.raises(BatchError):
        read_batch(data, "m")

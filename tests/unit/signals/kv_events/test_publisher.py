import asyncio
import logging

import msgspec
import pytest

from bayplan.signals.kv_events.publisher import Publisher

TOKENS = list(range(16))


def payload(*hashes, at=0.0, block_size=16):
    return msgspec.msgpack.encode([at, [["BlockStored", [each], None, TOKENS, block_size] for each in hashes]])


def message(number, *hashes, at=None, topic=b"kv@pod@chat", **more):
    return [topic, number.to_bytes(8, "big"), payload(*hashes, at=number if at is None else at, **more)]


class Kept:
    """What an engine has kept of its messages, and what it was asked for."""

    def __init__(self, *numbers, at=0.0):
        self.kept = [(number, payload(number, at=at + number)) for number in numbers]
        self.asked = []

    async def __call__(self, first):
        self.asked.append(first)
        return [each for each in self.kept if each[0] >= first]


def heard(publisher_of, *messages):
    """Hashes of the events that are told; `cleared` stands for itself."""
    told = []

    def tell(name, event):
        assert name == "a"
        told.append(event.kind if event.kind == "cleared" else event.block_hashes[0])

    async def run():
        publisher = publisher_of(tell)
        await publisher.catch_up()
        for each in messages:
            if publisher.take(each):
                await publisher.recover(each)
        return publisher

    publisher = asyncio.run(run())
    return told, publisher.state


def plain(tell):
    return Publisher("a", tell)


def test_messages_in_order():
    told, state = heard(plain, message(0, 10), message(1, 11, 12))

    assert told == [10, 11, 12]
    assert (state.messages, state.events, state.missed) == (2, 3, 0)


def test_the_model_of_the_topic():
    models = []
    publisher = Publisher("a", lambda name, event: models.append(event.model), model="known")
    for number, topic in enumerate([b"", b"kv@pod@chat", b"kv@pod", b"kv@pod@org/model@v2"]):
        publisher.take(message(number, 1, topic=topic))

    assert models == ["known", "chat", "chat", "org/model@v2"]


def test_what_came_before_is_dropped():
    told, _ = heard(plain, message(5, 10), message(5, 10), message(4, 9), message(6, 11))

    assert told == [10, 11]


def test_a_gap_that_nobody_can_fill_is_counted(caplog):
    told, state = heard(plain, message(0, 10), message(3, 13), message(5, 15))

    assert told == [10, 13, 15]
    assert state.missed == 3
    assert len(caplog.records) == 1


def test_a_gap_is_filled_by_a_replay():
    kept = Kept(0, 1, 2, 3)
    told, state = heard(lambda tell: Publisher("a", tell, ask_again=kept), message(4, 4), message(7, 7))

    assert told == [0, 1, 2, 3, 4, 7]
    assert kept.asked == [0, 4]
    assert state.missed == 2


def test_what_was_published_before_comes_first():
    told, _ = heard(lambda tell: Publisher("a", tell, ask_again=Kept(3, 4, 5)), message(4, 4), message(6, 6))

    assert told == [3, 4, 5, 6]


def test_a_restarted_engine_has_an_empty_cache():
    told, state = heard(plain, message(8, 18, at=8), message(0, 20, at=9), message(1, 21, at=10))

    assert told == [18, "cleared", 20, 21]
    assert state.restarts == 1


def test_what_a_restarted_engine_published_before_comes_by_a_replay():
    kept = Kept()
    publisher_of = lambda tell: Publisher("a", tell, ask_again=kept)  # noqa: E731

    async def run():
        told = []
        publisher = publisher_of(lambda name, event: told.append(event.block_hashes[:1] or event.kind))
        publisher.take(message(8, 18, at=8))
        kept.kept = [(number, payload(100 + number, at=20 + number)) for number in range(3)]
        late = message(3, 103, at=23)
        assert publisher.take(late)
        await publisher.recover(late)
        return told

    assert asyncio.run(run()) == [(18,), "cleared", (100,), (101,), (102,), (103,)]


def doubtful(publisher_of, *messages, broke=True):
    """What is told where the connection broke before the last message; nothing is asked for at the start."""
    told = []

    async def run():
        publisher = publisher_of(lambda name, event: told.append(event.block_hashes[:1] or event.kind))
        for each in messages[:-1]:
            publisher.take(each)
        if broke:
            publisher.disconnected()
        if publisher.take(messages[-1]):
            await publisher.recover(messages[-1])

    asyncio.run(run())
    return told


def test_a_broken_connection_is_a_restart_where_nothing_is_kept():
    assert doubtful(plain, message(0, 10), message(5, 15)) == [(10,), "cleared", (15,)]


def test_a_broken_connection_before_the_first_message_means_nothing():
    assert doubtful(plain, message(5, 15)) == [(15,)]


def test_a_broken_connection_of_an_engine_that_lives_on():
    told = doubtful(lambda tell: Publisher("a", tell, ask_again=Kept(0, 1, 2)), message(0, 0), message(3, 3))

    assert told == [(0,), (1,), (2,), (3,)]


def test_a_restarted_engine_that_has_already_published_more():
    told = doubtful(lambda tell: Publisher("a", tell, ask_again=Kept(0, 1, 2, at=50.0)), message(1, 9), message(3, 3))

    assert told == [(9,), "cleared", (0,), (1,), (2,), (3,)]


def test_a_gap_shows_a_restart_too():
    publisher_of = lambda tell: Publisher("a", tell, ask_again=Kept(0, 1, 2, at=50.0))  # noqa: E731

    assert doubtful(publisher_of, message(1, 9), message(3, 3), broke=False) == [
        (9,), "cleared", (0,), (1,), (2,), (3,),
    ]  # fmt: skip


UNREADABLE = {
    "two frames": [b"kv@", payload(1)],
    "a short number": [b"kv@", b"\0" * 4, payload(1)],
    "no msgpack": [b"kv@", b"\0" * 8, b"\xc1"],
    "half of it": [b"kv@", b"\0" * 8, payload(1)[:-5]],
    "no batch": [b"kv@", b"\0" * 8, msgspec.msgpack.encode("hello")],
    "arrays in arrays": [b"kv@", b"\0" * 8, b"\x91" * 100_000],
    "a text that is none": [b"kv@", b"\0" * 8, b"\x92\x00\x91\xa2\xff\xff"],
    "nothing": [b"kv@", b"\0" * 8, b""],
}


@pytest.mark.parametrize("frames", UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable_messages_are_told_once_and_skipped(frames, caplog):
    with caplog.at_level(logging.WARNING):
        told, state = heard(plain, frames, frames, message(0, 10))

    assert told == [10]
    assert state.unreadable == 2
    assert len(caplog.records) == 1


def test_another_block_size_is_told(caplog):
    told, state = heard(lambda tell: Publisher("a", tell, block_size=64), message(0, 10), message(1, 11))

    assert told == [10, 11]
    assert "block size 16 instead of 64" in state.problem
    assert len(caplog.records) == 1


def test_the_right_block_size_is_no_problem():
    _, state = heard(lambda tell: Publisher("a", tell, block_size=16), message(0, 10))

    assert state.problem == ""

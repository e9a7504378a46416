"""The model's name in answers is the client's, however the answer is cut."""

import itertools

import pytest
from hypothesis import given, strategies as some

from bayplan.gateway.relay.messages.model_name import ModelName

JSON = b'{"id":"1","model":"engine/7b","choices":[{"text":"\\"model\\":\\"engine/7b\\" and \\\\ more"}]}'
EVENTS = b'data: {"model": "engine/7b","n":1}\n\ndata: {"model": "engine/7b","n":2}\n\ndata: [DONE]\n\n'


def written(pieces, *, is_stream, clients="a \\ name"):
    names = ModelName("engine/7b", clients, is_stream=is_stream)
    return b"".join(map(names.piece, pieces)) + names.end()


def cut(whole, places):
    edges = sorted({0, len(whole), *(each % (len(whole) + 1) for each in places)})
    return [whole[begin:end] for begin, end in itertools.pairwise(edges)]


@given(places=some.lists(some.integers(0, 300), max_size=10))
def test_json(places):
    expected = JSON.replace(b'"model":"engine/7b"', b'"model":"a \\\\ name"')

    assert written(cut(JSON, places), is_stream=False) == expected


@given(places=some.lists(some.integers(0, 300), max_size=10))
def test_events(places):
    expected = EVENTS.replace(b'"model": "engine/7b"', b'"model": "a \\\\ name"')

    assert written(cut(EVENTS, places), is_stream=True) == expected


def test_whole_events_are_passed_on_at_once():
    names = ModelName("engine/7b", "mine", is_stream=True)

    assert names.piece(b'data: {"model":"engine/7b"}\n\n') == b'data: {"model":"mine"}\n\n'


def test_a_line_without_an_end_is_not_kept_for_ever():
    names = ModelName("engine/7b", "mine", is_stream=True)

    assert len(names.piece(b"x" * 200_000)) > 199_000


@pytest.mark.parametrize("other", [b'{"model":"engine/7b-chat"}', b'{"models":"engine/7b"}', b'{"model":null}'])
def test_other_names_are_left_alone(other):
    assert written([other], is_stream=False) == other

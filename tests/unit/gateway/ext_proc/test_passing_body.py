"""Bodies of answers: usage is read from their end, and the model gets its name back."""

import pytest

from bayplan.gateway.ext_proc.body_mode import BodyMode
from bayplan.gateway.ext_proc.passing_body import PassingBody
from bayplan.routing.answer import Answer
from bayplan.routing.requests.routed_request import RoutedRequest

USAGE = b'{"model":"big","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}'


def passing(mode=BodyMode.FULL_DUPLEX_STREAMED, asked="big", *, stream=False):
    request = RoutedRequest("1", asked_model=asked, model="big", stream=stream)
    return PassingBody(Answer(request, 200), mode)


def through(it, *pieces):
    return b"".join(it.piece(each, ends=number == len(pieces)) for number, each in enumerate(pieces, 1))


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_usage_is_found_in_any_pieces(size):
    it = passing()
    body = b"x" * 9_000 + USAGE
    pieces = [body[at : at + size] for at in range(0, len(body), size)]

    assert through(it, *pieces) == body
    assert it.usage()[:2] == (7, 3)
    assert it.seen_bytes == len(body)
    assert it.has_ended


def test_an_answer_without_usage():
    it = passing()
    it.piece(b"half", ends=False)

    assert it.usage()[:2] == (None, None)
    assert not it.has_ended


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_the_client_sees_the_name_that_it_asked_for(size):
    it = passing(asked="small")

    assert through(it, *(USAGE[at : at + size] for at in range(0, len(USAGE), size))) == USAGE.replace(
        b'"big"', b'"small"'
    )


def test_what_is_kept_back_comes_with_the_end():
    it = passing(asked="small")
    first = it.piece(USAGE, ends=False)

    assert first + it.end() == USAGE.replace(b'"big"', b'"small"')


def test_a_body_whose_length_is_fixed_stays_as_it_is():
    assert through(passing(BodyMode.BUFFERED, "small"), USAGE) == USAGE

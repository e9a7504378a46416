"""Blocks are equal where the model, the salt and all tokens up to their end are."""

import pytest
from hypothesis import given, strategies as st

from bayplan.routing.prefix.block_hashes import TOKEN_BYTES, chain_of, chains_of, id_bytes, running_hashes, seed_of
from bayplan.routing.requests.routed_request import Prompt
from unit.routing.endpoint_tables import request

TEXT = Prompt(text=bytes(range(40)))


def hashes(prompt, model="m", salt="", size=4, **more):
    return list(chain_of(prompt, model, salt, size, **more).hashes)


def ids(*tokens):
    return Prompt(tokens)


SIZES = {
    "full blocks": (ids(*range(8)), {}, 2),
    "the last one is not full": (ids(*range(9)), {}, 3),
    "only full ones": (ids(*range(9)), {"full_only": True}, 2),
    "a last token with fewer bytes is a token": (Prompt(text=b"x" * 15), {"full_only": True}, 1),
    "no more than": (ids(*range(9)), {"most_blocks": 1}, 1),
    "more than there are": (ids(*range(9)), {"most_blocks": 99}, 3),
    "none": (ids(), {}, 0),
    "text of whole tokens": (Prompt(text=b"x" * 32), {}, 2),
    "text with a part of a token": (Prompt(text=b"x" * 33), {}, 3),
    "text shorter than a token": (Prompt(text=b"x"), {}, 1),
    "no text": (Prompt(), {}, 0),
}


@pytest.mark.parametrize(("prompt", "more", "count"), SIZES.values(), ids=SIZES)
def test_number_of_blocks(prompt, more, count):
    chain = chain_of(prompt, "m", "", 4, **more)

    assert chain.size == len(chain.hashes) == count


DIFFERENT = {
    "another model": (hashes(TEXT), hashes(TEXT, model="n")),
    "no model": (hashes(TEXT), hashes(TEXT, model=None)),
    "an empty model is not no model": (hashes(TEXT, model=""), hashes(TEXT, model=None)),
    "another salt": (hashes(TEXT), hashes(TEXT, salt="s")),
    "model and salt are told apart": (hashes(TEXT, model="ab"), hashes(TEXT, model="a", salt="b")),
    "text is no ids": (hashes(Prompt(text=bytes(16))), hashes(ids(0, 0, 0, 0))),
    "another first token": (hashes(ids(1, 2, 3, 4, 5)), hashes(ids(9, 2, 3, 4, 5))),
    "tokens in another order": (hashes(ids(1, 2, 3, 4)), hashes(ids(2, 1, 3, 4))),
    "zeros at the end": (hashes(ids(1, 2)), hashes(ids(1, 2, 0, 0))),
    "zeros at the end of text": (hashes(Prompt(text=b"a")), hashes(Prompt(text=b"a\0"))),
    "a full block of zeros": (hashes(Prompt(text=bytes(15))), hashes(Prompt(text=bytes(16)))),
}  # fmt: skip


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_no_block_is_equal(one, other):
    assert not set(one) & set(other)


def test_blocks_in_another_order():
    one, other = hashes(ids(*range(12))), hashes(ids(*range(4, 8), *range(4), *range(8, 12)))

    assert not set(one) & set(other)


@given(
    st.lists(st.integers(0, 2**32 - 1), max_size=40),
    st.lists(st.integers(0, 2**32 - 1), max_size=40),
    st.integers(1, 9),
)
def test_equal_as_far_as_the_tokens_are(one, other, size):
    shared = next(
        (place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
        min(len(one), len(other)),
    )
    if len(one) == len(other) == shared:
        shared += size  # the last block is equal too, even if it is not full
    expected = min(shared // size, -(-len(one) // size))
    pairs = zip(hashes(ids(*one), size=size), hashes(ids(*other), size=size), strict=False)

    assert sum(left == right for left, right in pairs) == expected


@given(st.binary(max_size=300), st.integers(1, 5), st.data())
def test_sums_can_be_continued(text, size, data):
    whole = hashes(Prompt(text=text), size=size)
    cut = data.draw(st.integers(0, len(text) // (4 * size)))
    before = whole[cut - 1] if cut else seed_of(True, "m", "")
    rest = running_hashes(text[cut * size * 4 :], size, len(whole) - cut, first=cut, before=before)

    assert whole[cut:] == list(rest)


def test_large_and_negative_ids():
    assert id_bytes((1, -1, 2**40 + 7)) == id_bytes((1, 2**32 - 1, 7))


def test_many_blocks():
    assert len(set(hashes(Prompt(text=bytes(40_000)), size=1))) == 10_000


def test_a_request_keeps_them():
    asked = request(prompts=(Prompt(text=b"x" * 20), ids(1, 2, 3)))
    found = chains_of(asked, 4, None)

    assert found.total_blocks == 3
    assert chains_of(asked, 4, None) is found
    assert chains_of(asked, 8, None).total_blocks == 2
    assert chains_of(asked, 4, None, full_only=True).total_blocks == 1


@pytest.mark.parametrize("blocks", range(1, 17))
@pytest.mark.parametrize("rest", [0, 3], ids=["full blocks", "a last block that is not full"])
def test_short_prompts_have_the_hashes_of_longer_ones(blocks, rest):
    text = bytes(range(7, 240)) * 40
    size = 4 * TOKEN_BYTES
    long = chain_of(Prompt(text=text), "m", "", 4, 200)
    short = chain_of(Prompt(text=text[: blocks * size + rest]), "m", "", 4)

    assert short.size == blocks + (rest > 0)
    assert list(short.hashes)[:blocks] == list(long.hashes)[:blocks]

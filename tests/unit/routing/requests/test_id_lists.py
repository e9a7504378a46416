import json

import orjson
import pytest
from hypothesis import given, strategies as st

from bayplan.routing.prefix.block_hashes import chain_of
from bayplan.routing.requests import id_lists
from bayplan.routing.requests.id_lists import LEAST_BYTES, read_json
from bayplan.routing.requests.prompts import id_prompts_of, prompts_of
from bayplan.routing.requests.routed_request import Prompt

IDS = [0, 7, 10, 128_255, 99_999_999, *range(5_000), 100, 3]
COMPACT, SPACED = json.dumps(IDS, separators=(",", ":")), json.dumps(IDS)


def body(ids=COMPACT, form='{"model": "m", "prompt": %s, "max_tokens": 5}'):
    return (form % ids).encode()


READ = {
    "without spaces": body(),
    "with a space after each comma": body(SPACED),
    "nothing but the list": body(form='{"prompt":%s}'),
    "white space around the colon": body(form='{"prompt" \n:\t %s }'),
    "another field": body(form='{"token_ids":%s,"prompt":"x"}'),
    "SGLang's field": body(form='{"input_ids":%s,"text":"[1,2]"}'),
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_long_lists_of_ids_are_numbers_of_4_bytes(text):
    found, plain = read_json(text), json.loads(text)

    lists = [name for name, value in found.items() if isinstance(value, memoryview)]
    assert len(lists) == 1
    assert {name: list(value) if name in lists else value for name, value in found.items()} == plain
    assert found[lists[0]].itemsize == 4


LEFT = {
    "a short body": body("[1,2,3]"),
    "text": body(orjson.dumps("word " * 5000).decode()),
    "lists of ids": body(f"[{COMPACT},{COMPACT}]"),
    "a number of nine digits": body(COMPACT.replace("[0", "[123456789")),
    "a number below 0": body(COMPACT.replace(",3]", ",-3]")),
    "a number that is not whole": body(COMPACT.replace(",3]", ",3.5]")),
    "white space of another kind": body(COMPACT.replace(",", ",\n")),
    "a space that is missing": body(SPACED.replace(", 3]", ",3]")),
    "a space too many": body(SPACED.replace(", 3]", ",  3]")),
    "a list inside": body(COMPACT.replace(",3]", ",[3]]")),
    "words in the list": body(COMPACT.replace(",3]", ',"x"]')),
    "a field of an object inside": body(form='{"x": {"prompt":%s}, "prompt": "y"}'),
    "a field that is there twice": body(form='{"prompt":%s, "prompt": "y"}'),
    "a name that ends like a field's": body(form='{"a\\"prompt":%s}'),
    "a list that is the smaller part": body(form='{"prompt":%s,"user":"' + "x" * 40_000 + '"}'),
    "no object": COMPACT.encode(),
    "text that looks like a list": body(form='{"prompt":"\\"prompt\\":%s"}'),
}


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_what_is_unusual_is_left_to_the_reader_of_json(text):
    assert read_json(text) == json.loads(text)


BROKEN = {
    "a number that begins with 0": COMPACT.replace(",3]", ",03]"),
    "a comma too many": COMPACT.replace(",3]", ",3,]"),
    "a comma and a space too many": SPACED.replace(", 3]", ", 3, ]"),
    "no number between commas": COMPACT.replace(",3]", ",,3]"),
    "no comma between numbers": SPACED.replace(", 3]", " 3]"),
    "a list without an end": COMPACT[:-1],
}


@pytest.mark.parametrize("ids", BROKEN.values(), ids=BROKEN)
def test_what_is_no_json_is_refused_at_its_own_place(ids):
    with pytest.raises(orjson.JSONDecodeError) as plain:
        orjson.loads(body(ids))
    with pytest.raises(orjson.JSONDecodeError) as found:
        read_json(body(ids))

    assert str(found.value) == str(plain.value)


def test_what_follows_a_list_may_be_broken():
    with pytest.raises(orjson.JSONDecodeError):
        read_json(body(form='{"prompt":%s,'))


@given(
    st.lists(st.integers(0, 10**8 - 1) | st.integers(0, 20), min_size=1, max_size=300),
    st.sampled_from([(",", ":"), (", ", ": ")]),
    st.integers(1, 200),
)
def test_any_ids_are_read_as_json_reads_them(ids, separators, piece):
    before, id_lists.LEAST_BYTES, id_lists._PIECE = (id_lists.LEAST_BYTES, id_lists._PIECE), 0, piece
    try:
        found = read_json(json.dumps({"prompt": ids}, separators=separators).encode())
    finally:
        id_lists.LEAST_BYTES, id_lists._PIECE = before

    assert list(found["prompt"]) == ids


@pytest.mark.parametrize("size", [16, 64, 7, 512])
@pytest.mark.parametrize("full_only", [True, False])
def test_prompts_have_the_hashes_of_the_same_ids(size, full_only):
    (found,) = prompts_of(read_json(body())["prompt"], "body.prompt")
    (other,) = id_prompts_of(read_json(body(SPACED))["prompt"], "body.prompt")
    plain = Prompt(tuple(IDS))

    hashes = [list(chain_of(each, "m", "", size, full_only=full_only).hashes) for each in (found, other, plain)]
    assert hashes[0] == hashes[1] == hashes[2]
    assert found.tokens == len(IDS)
    assert len(body()) >= LEAST_BYTES

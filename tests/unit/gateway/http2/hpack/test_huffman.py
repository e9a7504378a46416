"""Strings in Huffman codes, coded by another implementation."""

import pytest
from hpack.huffman import HuffmanEncoder
from hpack.huffman_constants import REQUEST_CODES, REQUEST_CODES_LENGTH
from hypothesis import given, strategies as st

from bayplan.gateway.http2.hpack import huffman

ENCODER = HuffmanEncoder(REQUEST_CODES, REQUEST_CODES_LENGTH)


@given(st.binary(max_size=200))
def test_every_string_comes_back(text):
    assert huffman.decode(ENCODER.encode(text)) == text


BROKEN = {
    "a byte of padding": b"\xff",
    "more than seven bits of padding": ENCODER.encode(b"a") + b"\xff",
    "padding that is not ones": b"\x18",
    "the end symbol inside": b"\xff\xff\xff\xff\xff",
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_what_is_no_string(data):
    assert huffman.decode(data) is None


@given(st.binary(max_size=40))
def test_bytes_that_are_accepted_are_what_their_text_is_coded_to(data):
    text = huffman.decode(data)

    assert text is None or ENCODER.encode(text) == data

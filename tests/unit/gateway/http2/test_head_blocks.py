"""Heads that come again are looked up; heads that could mean something else are not."""

import pytest

from bayplan.gateway.http2.faults import ConnectionFault, StreamFault
from bayplan.gateway.http2.head_blocks import HeadBlocks
from bayplan.gateway.http2.limits import Limits
from unit.gateway.http2.wire import REQUEST, block

BLOCK = block(*REQUEST)


def blocks(**limits):
    found = HeadBlocks(Limits(**limits))
    found.acknowledged()
    found.skip(b"\x20")
    return found


def test_an_equal_block_gives_the_same_head():
    heads = blocks()

    assert heads.request(BLOCK) is heads.request(bytes(bytearray(BLOCK)))


def test_with_a_table_each_block_is_decoded():
    heads = HeadBlocks(Limits())

    assert heads.request(BLOCK) is not heads.request(bytes(bytearray(BLOCK)))


def test_many_different_heads_do_not_fill_the_memory():
    heads = blocks()
    for number in range(1000):
        heads.request(block(*REQUEST, ("x", str(number))))

    assert len(heads._known) <= 64


def test_a_malformed_head_is_malformed_every_time():
    heads = blocks()
    for _ in range(2):
        with pytest.raises(StreamFault):
            heads.request(block(*REQUEST[:2]))


def test_pieces_are_put_together_up_to_the_limit():
    heads = blocks(header_block_bytes=10)
    heads.add(b"12345")
    heads.add(b"67890")
    assert heads.take() == b"1234567890"
    heads.add(b"1")
    with pytest.raises(ConnectionFault):
        heads.add(b"2345678901")

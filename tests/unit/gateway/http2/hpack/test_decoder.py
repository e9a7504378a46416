"""Blocks of headers: what another implementation writes is read, what no implementation writes is refused."""

import hpack
import pytest
from hypothesis import given, strategies as st

from bayplan.gateway.http2.faults import ConnectionFault
from bayplan.gateway.http2.hpack.decoder import Decoder

NAMES = st.sampled_from([b":method", b":path", b"content-type", b"x-one", b"x-two"])
LISTS = st.lists(st.tuples(NAMES, st.binary(max_size=40)), max_size=8)


@given(st.lists(st.tuples(LISTS, st.sampled_from([None, 0, 64, 4096])), max_size=8))
def test_a_connection_of_another_implementation(blocks):
    encoder, decoder = hpack.Encoder(), Decoder(1_000_000)
    for headers, size in blocks:
        if size is not None:
            encoder.header_table_size = size
        assert decoder.decode(encoder.encode(headers)) == headers


@given(st.binary(max_size=60))
def test_any_bytes_are_headers_or_refused(block):
    decoder = Decoder(4_096)
    try:
        headers = decoder.decode(block)
    except ConnectionFault:
        return
    assert sum(len(name) + len(value) + 32 for name, value in headers) <= 4_096


BROKEN = {
    "a header with the number 0": (b"\x80", "COMPRESSION_ERROR"),
    "a header with a number that nobody gave": (b"\xbe", "COMPRESSION_ERROR"),
    "a name with a number that nobody gave": (b"\x7e\x01a", "COMPRESSION_ERROR"),
    "a number that does not end": (b"\xff\xff", "COMPRESSION_ERROR"),
    "a number without end": (b"\xff" + b"\xff" * 20, "COMPRESSION_ERROR"),
    "a string that does not end": (b"\x00\x05ab", "COMPRESSION_ERROR"),
    "no string": (b"\x00", "COMPRESSION_ERROR"),
    "a string in wrong codes": (b"\x00\x81\xff\x01a", "COMPRESSION_ERROR"),
    "a table larger than the default": (b"\x3f\xe2\x1f", "COMPRESSION_ERROR"),
    "the size of the table after a header": (b"\x82\x20", "COMPRESSION_ERROR"),
    "few bytes that unfold to many": (b"\x40\x01a\x7f\xa1\x1e" + b"x" * 4000 + b"\xbe" * 200, "ENHANCE_YOUR_CALM"),
}


@pytest.mark.parametrize(("block", "reason"), BROKEN.values(), ids=BROKEN)
def test_what_is_refused(block, reason):
    with pytest.raises(ConnectionFault, match=reason):
        Decoder(65_536).decode(block)


def test_a_smaller_table_has_to_be_confirmed_by_the_next_block():
    decoder = Decoder(4_096)
    decoder.limit_table(0)

    with pytest.raises(ConnectionFault, match="not made smaller"):
        decoder.decode(b"\x82")


def test_blocks_mean_the_same_everywhere_once_the_peer_keeps_no_table():
    decoder = Decoder(4_096)
    assert not decoder.is_stateless
    decoder.limit_table(0)
    assert not decoder.is_stateless

    decoder.decode(b"\x20\x82")

    assert decoder.is_stateless
    assert decoder.decode(b"\x40\x01a\x01b") == [(b"a", b"b")]
    with pytest.raises(ConnectionFault):
        decoder.decode(b"\xbe")


def test_the_oldest_entry_goes_first():
    decoder = Decoder(4_096)
    decoder.decode(b"\x3f\x29" + b"".join(b"\x40\x01%c\x01v" % name for name in b"abc"))  # a table of 72 bytes

    assert decoder.decode(b"\xbe\xbf") == [(b"c", b"v"), (b"b", b"v")]
    with pytest.raises(ConnectionFault):
        decoder.decode(b"\xc0")

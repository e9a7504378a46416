"""What is written here is read by another implementation."""

import hpack
from hypothesis import given, strategies as st

from bayplan.gateway.http2.hpack.encoder import encode

HEADERS = st.lists(
    st.tuples(st.sampled_from([b":status", b"content-type", b"grpc-status", b"x"]), st.binary(max_size=300)), max_size=6
)


@given(HEADERS)
def test_headers_come_back(headers):
    assert [tuple(each) for each in hpack.Decoder().decode(encode(headers), raw=True)] == headers


def test_nothing_is_put_into_a_table():
    assert encode([(b":status", b"200")]) == b"\x88"
    assert encode([(b"content-type", b"a")])[0] & 0xF0 == 0

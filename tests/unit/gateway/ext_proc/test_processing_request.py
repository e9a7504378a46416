"""Messages of gateways: read in any order and with anything beside them, and refused where they are none."""

import pytest
from hypothesis import given, strategies as st

from bayplan.gateway.ext_proc import processing_request as incoming
from bayplan.gateway.ext_proc.body_mode import DUPLEX, BodyMode, Modes
from bayplan.gateway.protobuf.reader import WireError
from unit.gateway.ext_proc.gateway_side import body, field, http_headers, message

TEXT = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=20)
PAIRS = st.lists(
    st.tuples(TEXT, st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=300)), max_size=12
)


def read(kind, content):
    return incoming.read_request(field(kind, content))


@given(PAIRS, st.booleans())
def test_headers_come_back(pairs, ends):
    content = b"".join(
        field(1, field(1, name.encode("latin-1")) + field(3, value.encode("latin-1"))) for name, value in pairs
    )
    head = incoming.read_head(read(2, field(1, content) + (field(3, 1) if ends else b"")))

    wanted = {}
    for name, value in pairs:
        wanted[name] = f"{wanted[name]}, {value}" if name in wanted else value
    assert head == (wanted, ends)


HEADERS = {
    "an old gateway's value": (field(1, b"a") + field(2, b"b"), {"a": "b"}),
    "value before key": (field(3, b"b") + field(1, b"a"), {"a": "b"}),
    "an empty value": (field(1, b"a"), {"a": ""}),
    "something unknown beside": (field(1, b"a") + field(3, b"b") + field(9, b"?"), {"a": "b"}),
    "a long value": (field(1, b"a") + field(3, b"b" * 5000), {"a": "b" * 5000}),
}


@pytest.mark.parametrize(("content", "expected"), HEADERS.values(), ids=HEADERS)
def test_a_header(content, expected):
    assert incoming.read_head(read(2, field(1, field(1, content)))).headers == expected


@given(st.binary(max_size=300), st.booleans())
def test_a_body_comes_back(content, ends):
    assert incoming.read_body(read(4, body(content, ends=ends))) == (content, ends)


def test_a_body_in_another_order():
    assert incoming.read_body(read(4, field(2, 1) + field(9, b"?") + field(1, b"x"))) == (b"x", True)


@given(st.binary(max_size=100))
def test_any_bytes_are_a_message_or_refused(data):
    try:
        request = incoming.read_request(data)
        if request.kind in (2, 3):
            incoming.read_head(request)
            incoming.ends_stream(request)
        elif request.kind in (4, 5):
            incoming.read_body(request)
        if request.metadata:
            incoming.metadata_value(request.metadata, "a", "b")
    except WireError:
        pass


MODES = {
    "not told": (b"", None),
    "nothing": (field(11, b""), Modes()),
    "streamed": (field(11, field(1, 1) + field(3, 1)), Modes(BodyMode.STREAMED, BodyMode.NONE, True)),
    "full duplex": (field(11, field(1, 4) + field(2, 4)), DUPLEX),
}  # fmt: skip


@pytest.mark.parametrize(("more", "expected"), MODES.values(), ids=MODES)
def test_modes(more, expected):
    assert incoming.read_request(field(2, b"") + more).modes == expected


def test_parts_that_nobody_needs_are_passed_over():
    request = incoming.read_request(field(9, b"attributes") + field(2, http_headers({"a": "b"})) + field(300, b"x"))

    assert request.kind == incoming.REQUEST_HEADERS
    assert incoming.read_head(request).headers == {"a": "b"}


def test_the_status_of_an_answer():
    assert incoming.status_of(read(3, http_headers({":status": "503", "a": "b"}))) == 503
    assert incoming.status_of(read(3, http_headers({"a": ":status"}))) is None


def test_a_value_of_the_metadata():
    data = message("request_headers", b"", metadata={"a": {"b": "c"}, "d": {}})
    metadata = incoming.read_request(data).metadata

    assert incoming.metadata_value(metadata, "a", "b") == "c"
    assert incoming.metadata_value(metadata, "a", "x") is None
    assert incoming.metadata_value(metadata, "x", "b") is None

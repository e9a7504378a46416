"""Fields of messages, and bytes that are none."""

import pytest
from hypothesis import given, strategies as st

from bayplan.gateway.protobuf import writer
from bayplan.gateway.protobuf.reader import FIXED32, FIXED64, LENGTH, VARINT, WireError, fields


@given(st.lists(st.tuples(st.integers(1, 2**20), st.one_of(st.integers(0, 2**63), st.binary(max_size=300)))))
def test_fields_come_back(wanted):
    written = b"".join(
        writer.number(number, value) if isinstance(value, int) else writer.message(number, value)
        for number, value in wanted
    )

    found = [(number, begin if kind == VARINT else written[begin:end]) for number, kind, begin, end in fields(written)]

    assert found == wanted


@given(st.binary(max_size=60))
def test_any_bytes_are_fields_or_refused(data):
    try:
        for _, kind, begin, end in fields(data):
            assert kind == VARINT or 0 <= begin <= end <= len(data)
    except WireError:
        pass


def test_numbers_of_fixed_size():
    data = b"\x09" + b"12345678" + b"\x15" + b"1234"

    assert [(number, kind, data[begin:end]) for number, kind, begin, end in fields(data)] == [
        (1, FIXED64, b"12345678"),
        (2, FIXED32, b"1234"),
    ]


BROKEN = {
    "a number of eleven bytes": b"\x08" + b"\x80" * 10 + b"\x01",
    "a number that does not end": b"\x08\x80",
    "a tag that does not end": b"\x80",
    "a length beyond the end": b"\x0a\x05ab",
    "the number 0": b"\x00\x01",
    "a group": b"\x0b",
    "eight bytes that are seven": b"\x09" + b"1" * 7,
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_what_is_no_message(data):
    with pytest.raises(WireError):
        list(fields(data))


def test_a_part_of_a_message():
    data = b"??" + writer.text(1, "in") + b"??"

    assert [kind for _, kind, _, _ in fields(data, 2, 6)] == [LENGTH]
    with pytest.raises(WireError):
        list(fields(data, 2, 5))

"""The fields of protobuf messages."""

import pytest

from bayplan.control.resources.wire_format import double, fields_of, part, signed, text
from bayplan.framework.errors import InputError


def fields(data):
    return [(number, raw if isinstance(raw, int) else bytes(raw)) for number, raw in fields_of(memoryview(data))]


def test_numbers_texts_and_fixed_values():
    assert fields(b"\x08\x96\x01\x12\x02hi\x1d\x00\x00\x00\x01") == [(1, 150), (2, b"hi"), (3, b"\x00\x00\x00\x01")]


def test_signs_and_doubles():
    assert signed((1 << 64) - 1) == -1
    assert signed(5) == 5
    assert double(memoryview(b"\x00\x00\x00\x00\x00\x00\xf0\x3f")) == 1.0


BROKEN = {
    "number without an end": b"\x08\x80",
    "number that is too long": b"\x08" + b"\xff" * 11,
    "text that is too short": b"\x12\x05hi",
    "group": b"\x0b",
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_broken_messages_are_refused(data):
    with pytest.raises(InputError, match="the protobuf holds"):
        fields(data)


def test_values_of_another_kind_are_refused():
    with pytest.raises(InputError, match="not UTF-8"):
        text(memoryview(b"\xff"))
    with pytest.raises(InputError, match="a number where a message"):
        part(5)
    with pytest.raises(InputError, match="wrong length"):
        double(5)

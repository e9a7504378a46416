"""Fields as bytes. Empty values are written too: in a oneof they say which one is meant."""

from __future__ import annotations

from bayplan.gateway.protobuf.reader import LENGTH, VARINT


def varint(value: int) -> bytes:
    """A number from 0 on."""
    if value < 0x80:
        return bytes((value,))
    if value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def message(number: int, content: bytes) -> bytes:
    """A field that has a length: a message, bytes, or text in UTF-8."""
    return opening(number, len(content)) + content


def opening(number: int, size: int) -> bytes:
    """What stands before the content of a field that has a length."""
    tag = number << 3 | LENGTH
    return bytes((tag, size)) if tag < 0x80 and size < 0x80 else varint(tag) + varint(size)


def text(number: int, value: str) -> bytes:
    """A field of text."""
    return message(number, value.encode())


def number(number: int, value: int) -> bytes:
    """A field of a number, an enumeration or a truth value."""
    return varint(number << 3 | VARINT) + varint(value)

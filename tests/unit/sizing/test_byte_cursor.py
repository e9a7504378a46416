import struct

import pytest

from bayplan.framework.errors import InputError
from bayplan.sizing.byte_cursor import WINDOW_BYTES, ByteCursor
from unit.sizing.writers import Memory, gguf_text

U32 = struct.Struct("<I")


def test_numbers_and_bytes_follow_each_other():
    cursor = ByteCursor(Memory(struct.pack("<II", 7, 8) + b"abc"))

    assert (cursor.number(U32), cursor.number(U32), cursor.take(3), cursor.offset) == (7, 8, b"abc", 11)


def test_the_next_window_is_read_when_it_is_needed():
    cursor = ByteCursor(Memory(b"\0" * (WINDOW_BYTES - 2) + struct.pack("<I", 9)))
    cursor.take(WINDOW_BYTES - 2)

    assert cursor.number(U32) == 9


def test_texts_are_passed_by_over_windows():
    texts = [("x" * length) for length in (0, 5, WINDOW_BYTES + 3, 1)]
    cursor = ByteCursor(Memory(b"".join(map(gguf_text, texts)) + b"end"))
    cursor.skip_texts(len(texts))

    assert cursor.take(3) == b"end"


BEYOND = {
    "a number":       lambda cursor: cursor.number(struct.Struct("<Q")),
    "bytes":          lambda cursor: cursor.take(5),
    "a jump":         lambda cursor: cursor.skip(5),
    "an endless one": lambda cursor: cursor.take(2**62),
    "texts":          lambda cursor: cursor.skip_texts(2),
}  # fmt: skip


@pytest.mark.parametrize("step", BEYOND.values(), ids=BEYOND)
def test_nothing_is_read_beyond_the_end(step):
    with pytest.raises(InputError) as caught:
        step(ByteCursor(Memory(b"abcd")))

    assert caught.value.place == "byte 0"


def test_a_text_that_ends_beyond_the_file_is_refused():
    with pytest.raises(InputError, match="a text ends beyond the file"):
        ByteCursor(Memory(struct.pack("<Q", 2**63) + b"abc")).skip_texts(1)


def test_a_file_that_shrank_is_refused():
    with pytest.raises(InputError, match="the file gave 4"):
        ByteCursor(Memory(b"abcd", size_bytes=100)).take(50)

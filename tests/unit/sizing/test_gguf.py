import struct

import pytest

from bayplan.framework.errors import InputError
from bayplan.sizing.ggml_types import GGML_TYPES
from bayplan.sizing.gguf import MOST_KEYS, MOST_TENSORS, MOST_TEXTS, read_gguf
from unit.sizing.writers import Memory, gguf_bytes, gguf_text

U64 = 2**64 - 1


def read(*args, **kwargs):
    return read_gguf(Memory(gguf_bytes(*args, **kwargs)[0]))


def head(keys=0, tensors=0):
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, keys)


def key(name, kind, rest=b""):
    return gguf_text(name) + struct.pack("<I", kind) + rest


def nested(levels):
    return struct.pack("<IQ", 9, 1) * levels + struct.pack("<IQ", 4, 0)


def test_metadata():
    header = read({"a": 7, "b": "text", "c": True, "d": 1.5, "e": [1, 2, 3], "f": ["x", "yy"]})

    assert header.metadata == {"a": 7, "b": "text", "c": True, "d": 1.5, "e": (1, 2, 3)}
    assert header.lengths == {"e": 3, "f": 2}


@pytest.mark.parametrize("block", GGML_TYPES.values(), ids=lambda block: block.name)
def test_tensors_are_sized_by_block(block):
    header = read({}, {"t": (block.name, [block.values, 3])})

    assert header.tensors == {"t": 3 * block.size_bytes}


def test_where_the_data_begins_and_ends():
    content, data_bytes = gguf_bytes({}, {"a": ("F32", [3]), "b": ("F32", [8])})
    header = read_gguf(Memory(content))

    assert header.data_begin == -(-len(content) // 32) * 32
    assert header.data_end == header.data_begin + data_bytes


def test_the_alignment_of_the_file_counts():
    assert read({"general.alignment": 4096}).data_begin == 4096
    assert read({"general.alignment": 0}).data_begin == 64


def test_an_unknown_kind_of_tensor_is_told():
    content = head(tensors=1) + gguf_text("t") + struct.pack("<IQIQ", 1, 8, 999, 0)
    header = read_gguf(Memory(content))

    assert (header.odd, header.tensors) == (frozenset({999}), {"t": 0})


HOSTILE = {
    "empty":                    b"",
    "no GGUF":                  b"GGML" + bytes(20),
    "an old version":           b"GGUF" + struct.pack("<IQQ", 1, 0, 0),
    "another byte order":       b"GGUF" + struct.pack(">IQQ", 3, 0, 0),
    "cut off":                  gguf_bytes()[0][:-3],
    "endless keys":             head(keys=U64),
    "too many keys":            head(keys=MOST_KEYS + 1),
    "too many tensors":         head(tensors=MOST_TENSORS + 1),
    "keys that never come":     head(keys=5),
    "a name without end":       head(keys=1) + struct.pack("<Q", U64),
    "a text without end":       head(keys=1) + key("k", 8, struct.pack("<Q", U64)),
    "an unknown kind":          head(keys=1) + key("k", 13),
    "a list of unknown kind":   head(keys=1) + key("k", 9, struct.pack("<IQ", 77, 1)),
    "a list without end":       head(keys=1) + key("k", 9, struct.pack("<IQ", 4, U64)),
    "texts without end":        head(keys=1) + key("k", 9, struct.pack("<IQ", 8, U64)),
    "too many texts":           head(keys=1) + key("k", 9, struct.pack("<IQ", 8, MOST_TEXTS + 1)),
    "lists of lists":           head(keys=1) + key("k", 9, struct.pack("<IQ", 9, U64)),
    "3,000 levels":             head(keys=1) + key("k", 9, nested(3000)),
    "five levels":              head(keys=1) + key("k", 9, nested(5)),
    "too many dimensions":      head(tensors=1) + gguf_text("t") + struct.pack("<I", 9),
    "a tensor beyond all":      head(tensors=1) + gguf_text("t") + struct.pack("<IQQIQ", 2, U64, U64, 0, 0),
    "a tensor twice":           head(tensors=2) + (gguf_text("t") + struct.pack("<IQIQ", 1, 8, 0, 0)) * 2,
}  # fmt: skip


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_header_is_refused_with_its_place(content):
    with pytest.raises(InputError) as caught:
        read_gguf(Memory(content))

    assert caught.value.place.startswith("byte ")
    assert caught.value.next
    assert len(str(caught.value)) < 400


def test_shallow_lists_of_lists_are_passed_by():
    content = head(keys=2) + key("k", 9, nested(3)) + key("n", 4, struct.pack("<I", 7))

    assert read_gguf(Memory(content)).metadata == {"n": 7}

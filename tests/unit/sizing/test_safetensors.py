import json
import struct

import pytest

from bayplan.framework.errors import InputError
from bayplan.sizing.safetensors import MOST_HEADER_BYTES, MOST_TENSORS, header_length, read_tensors
from unit.sizing.writers import safetensors_header


def tensor_bytes(header, data_bytes):
    return {name: tensor.size_bytes for name, tensor in read_tensors(header, data_bytes).items()}


def tensor(dtype="F16", shape=(2, 3), offsets=(0, 12)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def sized(header, data_bytes):
    return tensor_bytes(header if isinstance(header, bytes) else json.dumps(header).encode(), data_bytes)


def test_bytes_of_tensors():
    header, data_bytes = safetensors_header({"a": ("F16", [2, 3]), "b": ("F8_E4M3", [7]), "c": ("I32", [])})
    header = {"__metadata__": {"format": "pt", "odd": '}{"[,'}} | header

    assert sized(header, data_bytes) == {"a": 12, "b": 7, "c": 4}


def test_numbers_smaller_than_a_byte():
    assert sized({"a": tensor("F4", (3,), (0, 2))}, 2) == {"a": 2}


def test_fields_in_any_order_and_padding():
    first = b' { "a\\u0062" : {"data_offsets":[0,4],"shape":[2 ],"dtype":"F16"}'
    header = first + b' , "c":{"data_offsets":[4,4],"shape":[0]}}   '

    assert sized(header, 4) == {"ab": 4, "c": 0}


def test_a_header_of_nothing():
    assert sized(b"{}", 0) == {}


def test_an_unknown_kind_counts_by_its_offsets():
    assert sized({"a": tensor("Q7", (100,), (0, 5))}, 5) == {"a": 5}


WRONG = {
    "no tensor":                ({"a": 3}, 99, "byte 13", "header"),
    "an odd tensor":            (b'{"a": {"x"}}', 99, "a", "is not a tensor"),
    "a long tensor":            ({"a": tensor() | {"note": "x" * 5000}}, 99, "a", "too many for a tensor"),
    "a deep tensor":            (b'{"a": {"shape":' + b"[" * 2000 + b"}}", 99, "a", "is not a tensor"),
    "NaN":                      (b'{"a": {"dtype": "F16", "shape": [NaN], "data_offsets": [0, 2]}}', 99, "a.shape",
                                 "is no shape"),
    "a name twice":             (b'{"a": {"data_offsets": [0, 0], "shape": []}, "a": {}}', 99, "a", "is listed twice"),
    "no comma":                 (b'{"a": {"data_offsets": [0, 0], "shape": []} 1}', 99, "byte 51", "header"),
    "no end":                   (b'{"a": {"data_offsets": [0, 0], "shape": []},', 99, "byte 51", "header"),
    "something after the end":  (b'{"a": {"data_offsets": [0, 0], "shape": []}} x', 99, "byte 51", "header"),
    "a text without end":       (b'{"a' + b"x" * 10_000, 99, "byte 9", "header"),
    "no offsets":               ({"a": {"dtype": "F16", "shape": [1]}}, 99, "a.data_offsets", "None are no offsets"),
    "offsets that go back":     ({"a": tensor(offsets=(12, 0))}, 99, "a.data_offsets", "are no offsets"),
    "negative offsets":         ({"a": tensor(offsets=(-12, 0))}, 99, "a.data_offsets", "are no offsets"),
    "offsets that are true":    ({"a": tensor(offsets=(False, 12))}, 99, "a.data_offsets", "are no offsets"),
    "a shape of text":          ({"a": tensor(shape=("x",))}, 99, "a.shape", "is no shape"),
    "a shape too long":         ({"a": tensor(shape=(1,) * 99)}, 99, "a.shape", "is no shape"),
    "a shape of nothing":       ({"a": {"dtype": "F16", "data_offsets": [0, 2]}}, 99, "a.shape", "None is no shape"),
    "a huge number":            ({"a": tensor(offsets=(0, 2**63))}, 99, "a.data_offsets", "are no offsets"),
    "sizes that contradict":    ({"a": tensor(shape=(2, 4))}, 99, "a", "its shape takes 16 bytes and its offsets 12"),
    "tensors that overlap":     ({"a": tensor(), "b": tensor(offsets=(6, 18))}, 99, "b", "overlaps another by 6"),
    "one tensor twice":         ({"a": tensor(), "b": tensor()}, 99, "b", "overlaps another by 12 bytes"),
    "a file that is too short": ({"a": tensor()}, 11, "byte 8", "take 12 bytes, and the file holds 11"),
    "no mapping":               ([], 99, "byte 8", "header"),
    "nothing":                  (b"", 99, "byte 8", "header"),
    "too many tensors":         (b'"data_offsets"' * (MOST_TENSORS + 1), 99, "byte 8", "more than 40,000 tensors"),
}  # fmt: skip


@pytest.mark.parametrize(("header", "data_bytes", "place", "words"), WRONG.values(), ids=WRONG)
def test_a_wrong_header_is_refused(header, data_bytes, place, words):
    with pytest.raises(InputError) as caught:
        sized(header, data_bytes)

    assert caught.value.place == place
    assert words in caught.value.message
    assert caught.value.next


LENGTHS = {
    "cut off":          (b"\x08\x00", 2, "the file ends after 2 bytes"),
    "beyond the file":  (struct.pack("<Q", 93), 100, "should take 93 bytes, and the file has 92"),
    "2^63":             (struct.pack("<Q", 2**63), 10**6, "should take 9,223,372,036,854,775,808 bytes"),
    "too large":        (struct.pack("<Q", MOST_HEADER_BYTES + 1), 2**40, "is too large"),
}  # fmt: skip


@pytest.mark.parametrize(("prefix", "file_bytes", "words"), LENGTHS.values(), ids=LENGTHS)
def test_a_wrong_length_is_refused(prefix, file_bytes, words):
    with pytest.raises(InputError) as caught:
        header_length(prefix, file_bytes)

    assert caught.value.place == "byte 0"
    assert words in caught.value.message


def test_the_largest_header_is_read():
    assert header_length(struct.pack("<Q", MOST_HEADER_BYTES), MOST_HEADER_BYTES + 8) == MOST_HEADER_BYTES

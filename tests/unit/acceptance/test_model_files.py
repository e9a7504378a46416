"""What is written is read back, byte by byte, without the writer's own functions."""

from __future__ import annotations

import json
import struct

import pytest

from acceptance.case_files import CaseError
from acceptance.model_files import expanded, write_files

EXPANDED = {
    "no range":     ("a.b", ["a.b"]),
    "one":          ("l.{0..2}.w", ["l.0.w", "l.1.w", "l.2.w"]),
    "of one":       ("{7..7}", ["7"]),
    "combinations": ("l.{0..1}.e.{8..9}", ["l.0.e.8", "l.0.e.9", "l.1.e.8", "l.1.e.9"]),
    "other braces": ("{a}.{1..}", ["{a}.{1..}"]),
}  # fmt: skip


@pytest.mark.parametrize(("pattern", "names"), EXPANDED.values(), ids=EXPANDED)
def test_ranges(pattern, names):
    assert expanded(pattern) == names


def test_json_holds_the_document(tmp_path):
    write_files({"config.json": {"model_type": "llama", "q": None}}, tmp_path)

    assert json.loads((tmp_path / "config.json").read_text()) == {"model_type": "llama", "q": None}


def test_safetensors_headers_are_true(tmp_path):
    tensors = {"embed": ["BF16", [1000, 64]], "l.{0..1}.w": ["I32", [8]], "scale": ["F32", []]}
    write_files({"m.safetensors": {"tensors": tensors}}, tmp_path)

    data = (tmp_path / "m.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    assert list(header) == ["embed", "l.0.w", "l.1.w", "scale"]
    assert header["embed"] == {"dtype": "BF16", "shape": [1000, 64], "data_offsets": [0, 128_000]}
    assert header["l.1.w"]["data_offsets"] == [128_032, 128_064]
    assert header["scale"]["data_offsets"] == [128_064, 128_068]
    assert len(data) == 8 + length + 128_068
    assert length % 8 == 0


def test_a_large_file_takes_no_room(tmp_path):
    write_files({"m.safetensors": {"tensors": {"w": ["BF16", [2**20, 2**15]]}}}, tmp_path)

    status = (tmp_path / "m.safetensors").stat()
    assert status.st_size > 2**36
    assert status.st_blocks * 512 < 2**20


def test_gguf_headers_are_true(tmp_path):
    metadata = {"general.architecture": "llama", "llama.block_count": 2}
    tensors = {"t": ["Q4_K", [256, 3]], "blk.{0..1}.n": ["F32", [5]], "q": ["Q8_0", [32, 2]]}
    write_files({"m.gguf": {"metadata": metadata, "tensors": tensors}}, tmp_path)

    data = (tmp_path / "m.gguf").read_bytes()
    found_metadata, found, end = _read_gguf(data)
    assert found_metadata == metadata
    assert found == {
        "t": (12, (256, 3), 0),
        "blk.0.n": (0, (5,), 448),
        "blk.1.n": (0, (5,), 480),
        "q": (8, (32, 2), 512),
    }
    assert len(data) == end + -end % 32 + 512 + 2 * 34


def _read_gguf(data):
    at = 0

    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def text():
        return take(f"{take('Q')}s").decode()

    def value():
        return {4: lambda: take("I"), 8: text}[take("I")]()

    assert take("4sI") == (b"GGUF", 3)
    tensor_count, value_count = take("QQ")
    metadata = {text(): value() for _ in range(value_count)}
    tensors = {}
    for _ in range(tensor_count):
        name = text()
        shape = tuple(take("Q") for _ in range(take("I")))
        kind, offset = take("IQ")
        tensors[name] = (kind, shape, offset)
    return metadata, tensors, at


def test_the_index_names_the_file_of_each_tensor(tmp_path):
    files = {
        "a-1.safetensors": {"tensors": {"l.{0..1}": ["F16", [1]]}},
        "sub/other.safetensors": {"tensors": {"elsewhere": ["F16", [1]]}},
        "model.safetensors.index.json": {"metadata": {"x": 1}, "weight_map": "from-files"},
        "a-2.safetensors": {"tensors": {"head": ["F16", [1]]}},
    }
    write_files(files, tmp_path)

    assert json.loads((tmp_path / "model.safetensors.index.json").read_text()) == {
        "metadata": {"x": 1},
        "weight_map": {"l.0": "a-1.safetensors", "l.1": "a-1.safetensors", "head": "a-2.safetensors"},
    }


def test_a_size_alone_is_a_file_of_that_size(tmp_path):
    write_files({"pytorch_model.bin": {"size": 12_345}, "m.safetensors": {"size": 3}}, tmp_path)

    assert (tmp_path / "pytorch_model.bin").stat().st_size == 12_345
    assert (tmp_path / "m.safetensors").read_bytes() == b"\0\0\0"


REFUSED = {
    "kind of file":   ({"notes.txt": {"words": "x"}}, "notes.txt"),
    "no mapping":     ({"m.gguf": 3}, "m.gguf"),
    "key":            ({"m.safetensors": {"tensors": {}, "metadata": {}}}, "unknown key 'metadata'"),
    "dtype":          ({"m.safetensors": {"tensors": {"w": ["F17", [1]]}}}, "'F17'"),
    "type":           ({"m.gguf": {"tensors": {"w": ["Q9", [1]]}}}, "'Q9'"),
    "block":          ({"m.gguf": {"tensors": {"w": ["Q4_K", [100]]}}}, "no multiple of 256"),
    "metadata":       ({"m.gguf": {"metadata": {"k": [1]}, "tensors": {}}}, "metadata k"),
    "large integer":  ({"m.gguf": {"metadata": {"k": 2**32}, "tensors": {}}}, "UINT32"),
    "shape":          ({"m.safetensors": {"tensors": {"w": ["F32", 4]}}}, r"\[type, shape\]"),
    "negative shape": ({"m.safetensors": {"tensors": {"w": ["F32", [-1]]}}}, "-1"),
    "size":           ({"x.bin": {"size": -1}}, "-1"),
    "twice":          ({"m.safetensors": {"tensors": {"w.{0..1}": ["F32", [1]], "w.1": ["F32", [1]]}}}, "w.1"),
    "backwards":      ({"m.safetensors": {"tensors": {"w.{2..1}": ["F32", [1]]}}}, "ends before"),
    "outside":        ({"../x.json": {}}, "inside the folder"),
    "absolute":       ({"/x.json": {}}, "inside the folder"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_written_is_said(files, message, tmp_path):
    with pytest.raises(CaseError, match=message):
        write_files(files, tmp_path)

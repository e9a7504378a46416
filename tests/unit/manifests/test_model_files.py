import json
import os
import struct
import tracemalloc
from pathlib import Path

import pytest

from bayplan.cluster.model import ModelPart, ModelSpec
from bayplan.framework.errors import InputError
from bayplan.manifests.model_files import MOST_FILES, read_files, read_model_files
from bayplan.sizing.safetensors import MOST_HEADER_BYTES
from unit.sizing.writers import (
    GGUF_METADATA,
    gguf_bytes,
    gguf_text,
    safetensors_header,
    write_config,
    write_gguf,
    write_header,
    write_safetensors,
)

MIB = 2**20
ONE = {"a": ("F16", [1024, 512])}
TWO = {"b": ("F16", [1024, 1024])}
INDEX = "model.safetensors.index.json"


def write_index(folder, weight_map, **metadata):
    (folder / INDEX).write_text(json.dumps({"metadata": metadata, "weight_map": weight_map}))


def test_a_folder_with_a_config(tmp_path):
    write_config(tmp_path)
    write_safetensors(tmp_path / "model.safetensors", ONE | TWO)
    files = read_files(tmp_path)

    assert (files.weights.stored.total_bytes, files.weights_source) == (3 * MIB, "safetensors headers of 1 file")
    assert (files.traits.heads, files.traits_source, files.warnings) == (32, "config.json", ())


def test_one_file_of_a_folder(tmp_path):
    write_config(tmp_path)
    write_safetensors(tmp_path / "a.safetensors", ONE)
    write_safetensors(tmp_path / "b.safetensors", TWO)
    files = read_files(tmp_path / "a.safetensors")

    assert (files.weights.stored.total_bytes, files.traits.heads) == (MIB, 32)


def test_every_tensor_of_the_shards_counts_once(tmp_path):
    write_safetensors(tmp_path / "1.safetensors", ONE | TWO)
    write_safetensors(tmp_path / "2.safetensors", TWO)

    assert read_files(tmp_path).weights.stored.total_bytes == 3 * MIB


def test_the_index_says_which_shards_count(tmp_path):
    write_safetensors(tmp_path / "1.safetensors", ONE)
    write_safetensors(tmp_path / "2.safetensors", TWO)
    write_safetensors(tmp_path / "copy.safetensors", {"c": ("F16", [1024, 1024])})
    write_index(tmp_path, {"a": "1.safetensors", "b": "2.safetensors"})
    files = read_files(tmp_path)

    assert (files.weights.stored.total_bytes, files.weights_source) == (3 * MIB, "safetensors headers of 2 files")


def test_missing_shards_are_taken_from_the_index(tmp_path):
    write_safetensors(tmp_path / "1.safetensors", ONE)
    write_index(tmp_path, {"a": "1.safetensors", "b": "2.safetensors"}, total_size=3 * MIB)
    files = read_files(tmp_path)

    assert (files.weights.stored.total_bytes, files.weights_source) == (3 * MIB, "total of the index")
    assert files.warnings == ("1 of 2 shards are missing, 2.safetensors first",)


def test_missing_shards_without_a_total_leave_the_config(tmp_path):
    write_config(tmp_path)
    write_safetensors(tmp_path / "1.safetensors", ONE)
    write_index(tmp_path, {"b": "2.safetensors"})

    assert read_files(tmp_path).weights_source.startswith("config.json: 8.03 billion weights")


def test_an_index_alone(tmp_path):
    write_config(tmp_path)
    write_index(tmp_path, {"b": "2.safetensors"}, total_size=5)
    files = read_files(tmp_path)

    assert (files.weights.stored.total_bytes, files.warnings) == (5, (f"none of the shards of {INDEX} is here",))


def test_pickles_count_by_size(tmp_path):
    write_config(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(bytes(100))
    files = read_files(tmp_path)

    assert (files.weights.stored.total_bytes, files.weights_source, files.traits.heads) == (
        100,
        "size of 1 bin file",
        32,
    )
    assert read_files(tmp_path / "pytorch_model.bin") == files


def test_a_config_alone_is_counted(tmp_path):
    write_config(tmp_path)

    assert read_files(tmp_path).weights_source == "config.json: 8.03 billion weights, 16 bits"
    assert read_files(tmp_path / "config.json") == read_files(tmp_path)


def test_pickles_of_32_bits_are_held_in_16(tmp_path):
    write_config(tmp_path, torch_dtype="float32")
    (tmp_path / "pytorch_model.bin").write_bytes(b"x" * 100)
    weights = read_files(tmp_path).weights

    assert (weights.stored.total_bytes, weights.half.total_bytes) == (100, 50)


def test_an_unknown_config_alone_is_unknown(tmp_path):
    write_config(tmp_path, model_type="novelnet", num_attention_heads=None)
    files = read_files(tmp_path)

    assert (files.weights, files.traits.kind, files.traits.attention) == (None, "novelnet", None)


def test_a_part_that_is_not_understood_is_named(tmp_path):
    write_config(tmp_path, ponder_config={"hidden_size": 9})
    files = read_files(tmp_path)

    assert files.weights is None
    assert "ponder_config" in files.warnings[0]


def test_a_packing_in_a_file_of_its_own(tmp_path):
    write_config(tmp_path)
    plain = read_files(tmp_path).weights.half.total_bytes
    (tmp_path / "hf_quant_config.json").write_text('{"quantization": {"quant_algo": "FP8"}}')

    assert read_files(tmp_path).weights.half.total_bytes < 0.6 * plain


def test_numbers_that_python_writes(tmp_path):
    (tmp_path / "config.json").write_text(
        '{"model_type": "llama", "hidden_size": 64, "limit": [0.0, Infinity, -Infinity, NaN], "said": "Infinity"}'
    )

    assert read_files(tmp_path).traits.hidden_size == 64


UNREADABLE = {
    "a config":  ("config.json", b"{"),
    "a header":  ("model.safetensors", b"short"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content"), UNREADABLE.values(), ids=UNREADABLE)
def test_given_weights_come_before_files_that_cannot_be_read(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)

    files = read_model_files(ModelSpec(path=str(tmp_path), weights_mib=1))
    assert files.model is None
    assert name in files.warnings[0]
    with pytest.raises(InputError):
        read_model_files(ModelSpec(path=str(tmp_path), kv_cache_mib=1))


def test_a_folder_of_something_else(tmp_path):
    (tmp_path / "README.md").write_text("nothing")

    with pytest.raises(
        InputError, match=r"this folder has neither weights nor a config\.json; name the folder of a model"
    ):
        read_files(tmp_path)


def test_gguf(tmp_path):
    write_gguf(tmp_path / "model.gguf", GGUF_METADATA, {"t": ("Q4_K", [256, 1024])})
    files = read_files(tmp_path)

    assert (files.weights.stored.total_bytes, files.weights_source) == (144 * 1024, "GGUF headers of 1 file")
    assert (files.traits.heads, files.traits_source) == (32, "GGUF metadata")


def test_gguf_in_parts(tmp_path):
    for number in (1, 2):
        write_gguf(tmp_path / f"m-0000{number}-of-00002.gguf", GGUF_METADATA, {"t": ("F32", [256])})

    assert read_files(tmp_path).weights.stored.total_bytes == 2048
    assert read_files(tmp_path / "m-00002-of-00002.gguf").weights.stored.total_bytes == 2048


def test_a_missing_part_is_refused(tmp_path):
    write_gguf(tmp_path / "m-00001-of-00002.gguf")

    with pytest.raises(InputError, match=r"1 of 2 parts are missing, m-00002-of-00002\.gguf first"):
        read_files(tmp_path)


def test_an_unknown_kind_of_tensor_counts_by_the_file(tmp_path):
    content = b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + gguf_text("t") + struct.pack("<IQIQ", 1, 8, 999, 0)
    (tmp_path / "m.gguf").write_bytes(content.ljust(64, b"\0") + bytes(500))
    files = read_files(tmp_path)

    assert files.weights.stored.total_bytes == 500
    assert "unknown kind 999" in files.warnings[0]


def test_a_gguf_file_that_was_cut_off_is_told(tmp_path):
    (tmp_path / "m.gguf").write_bytes(gguf_bytes({}, {"t": ("F32", [256])})[0])
    files = read_files(tmp_path)

    assert files.weights.stored.total_bytes == 1024
    assert "is shorter than its tensors" in files.warnings[0]


def test_a_pipeline_of_parts(tmp_path):
    (tmp_path / "model_index.json").write_text(json.dumps({"_class_name": "FluxPipeline", "unet": [], "vae": []}))
    for part, tensors in (("unet", ONE), ("vae", TWO), ("old", TWO)):
        (tmp_path / part).mkdir()
        write_safetensors(tmp_path / part / "model.safetensors", tensors)
    files = read_files(tmp_path)

    assert (files.weights.stored.total_bytes, files.weights_source) == (3 * MIB, "weights of 2 parts")
    assert (files.traits.kind, files.traits.attention) == ("FluxPipeline", ())


def test_a_model_with_its_parts(tmp_path):
    for name, tensors in (("model", ONE), ("lora", TWO), ("draft", ONE)):
        (tmp_path / name).mkdir()
        write_safetensors(tmp_path / name / "model.safetensors", tensors)
    lora, draft = str(tmp_path / "lora"), str(tmp_path / "draft")
    spec = ModelSpec(
        path=str(tmp_path / "model"),
        loras=(ModelPart(size_mib=3), ModelPart(path=lora)),
        draft=ModelPart(path=draft),
    )
    files = read_model_files(spec)

    assert files.model.weights.stored.total_bytes == MIB
    assert {path: part.weights.stored.total_bytes for path, part in files.parts.items()} == {lora: 2 * MIB, draft: MIB}


def test_numbers_need_no_files():
    assert read_model_files(ModelSpec(weights_mib=3, loras=(ModelPart(size_mib=3),))) is None


def test_a_path_of_another_machine_is_told_where_the_weights_are_given():
    files = read_model_files(ModelSpec(path="/nowhere/model", weights_mib=3))

    assert files.model is None
    assert files.warnings == ("/nowhere/model is not on this machine: only the given numbers count",)
    with pytest.raises(InputError, match="/nowhere/model: there is no such file or folder; check the path, or give"):
        read_model_files(ModelSpec(path="/nowhere/model"))


def header(path, content, data_bytes=0):
    write_header(path / "model.safetensors", content, data_bytes)


def prefix(path, content, size_bytes=0):
    (path / "model.safetensors").write_bytes(content)
    os.truncate(path / "model.safetensors", max(size_bytes, len(content)))


def config(path, text):
    (path / "config.json").write_bytes(text)


def vast_config(path):
    config(path, b"{")
    os.truncate(path / "config.json", 64 * MIB + 1)


def gguf(path, content, size_bytes=0):
    (path / "model.gguf").write_bytes(content)
    os.truncate(path / "model.gguf", max(size_bytes, len(content)))


def loop(path):
    (path / "model.safetensors").symlink_to("model.safetensors")


def pipe(path):
    os.mkfifo(path / "model.safetensors")


def crowd(path):
    (path / "0").touch()
    for number in range(1, MOST_FILES + 1):
        os.link(path / "0", path / str(number))


def twice(path):
    content, data_bytes = safetensors_header(ONE)
    text = json.dumps(content).encode()
    header(path, text[:-1] + b"," + text[1:], data_bytes)


def escape(path):
    write_safetensors(path / "a.safetensors", ONE)
    write_index(path, {"a": "../secret.safetensors"})


TENSOR = {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]}
KEY = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + gguf_text("k")

TOO_LARGE = struct.pack("<Q", MOST_HEADER_BYTES + 1)
LARGEST = struct.pack("<Q", MOST_HEADER_BYTES)
LEVELS = struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 3000
TEXTS = struct.pack("<IIQ", 9, 8, 2**64 - 1)
LONG_NAME = b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**40)
MANY_KEYS = json.dumps({str(number): {} for number in range(400_000)}).encode()
MANY_TENSORS = json.dumps({str(number): TENSOR for number in range(40_000)}).encode()
NEGATIVE = TENSOR | {"data_offsets": [-4, 0]}
TENSORS = "model.safetensors: "

HOSTILE = {
    "an empty file":              (lambda path: prefix(path, b""), "byte 0"),
    "a header cut off":           (lambda path: prefix(path, struct.pack("<Q", 50) + b'{"a"'), "byte 0"),
    "a header of 2^63 bytes":     (lambda path: prefix(path, struct.pack("<Q", 2**63), 2**40), "byte 0"),
    "a header that is too large": (lambda path: prefix(path, TOO_LARGE, 2**30), "byte 0"),
    "a header of nothing":        (lambda path: prefix(path, LARGEST, 2**30), "byte 8"),
    "a header that is no JSON":   (lambda path: header(path, b"{'a': 1}"), "byte 9"),
    "a deep header":              (lambda path: header(path, b"[" * 5 * MIB), "byte 8"),
    "a deep tensor":              (lambda path: header(path, b'{"a":{"b":' + b"[" * 5 * MIB + b"}}"), TENSORS + "a"),
    "a header of many nodes":     (lambda path: header(path, b"[" + b"[]," * MIB + b"[]]"), "byte 8"),
    "a header of many keys":      (lambda path: header(path, MANY_KEYS), TENSORS + "0.data_offsets"),
    "a header of many tensors":   (lambda path: header(path, MANY_TENSORS, 4), TENSORS + "1"),
    "a header with NaN":          (lambda path: header(path, b'{"a": NaN}'), "byte 13"),
    "a tensor twice":             (twice, TENSORS + "a"),
    "tensors that overlap":       (lambda path: header(path, {"a": TENSOR, "b": TENSOR}, 9), TENSORS + "b"),
    "sizes that contradict":      (lambda path: header(path, {"a": TENSOR | {"shape": [9]}}, 9), TENSORS + "a"),
    "negative offsets":           (lambda path: header(path, {"a": NEGATIVE}), TENSORS + "a.data_offsets"),
    "weights cut off":            (lambda path: header(path, {"a": TENSOR}, 3), "byte 8"),
    "a link to itself":           (loop, "model.safetensors"),
    "a pipe":                     (pipe, "model.safetensors"),
    "too many files":             (crowd, ""),
    "an index that leads away":   (escape, f"{INDEX}: weight_map"),
    "a config cut off":           (lambda path: config(path, b'{"hidden_size": 1'), "config.json:1"),
    "a deep config":              (lambda path: config(path, b'{"a":' * 3000 + b"1" + b"}" * 3000), "config.json"),
    "a large config":             (vast_config, "config.json"),
    "a negative number":          (lambda path: config(path, b'{"hidden_size": -1}'), "config.json: hidden_size"),
    "layers without end":         (lambda path: config(path, b'{"num_hidden_layers": 9223372036854775807}'),
                                   "config.json: num_hidden_layers"),
    "no GGUF":                    (lambda path: gguf(path, b"nonsense"), "byte 0"),
    "GGUF cut off":               (lambda path: gguf(path, gguf_bytes()[0][:-1]), "byte "),
    "GGUF of 2^64 texts":         (lambda path: gguf(path, KEY + TEXTS, 2**40), "byte "),
    "GGUF of 3,000 levels":       (lambda path: gguf(path, KEY + LEVELS), "byte "),
    "GGUF with a long name":      (lambda path: gguf(path, LONG_NAME, 2**41), "byte "),
}  # fmt: skip


@pytest.mark.parametrize(("make", "place"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_refused_with_their_place_in_little_memory(make, place, tmp_path):
    make(tmp_path)
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as caught:
            read_files(tmp_path)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert caught.value.place.startswith(str(tmp_path))
    assert place in caught.value.place
    assert caught.value.next
    assert len(caught.value.message) < 300
    assert peak_bytes <= 64 * MIB


OTHERS = {
    "another kind of file": lambda path: path / "README.md",
    "a name with a NUL":    lambda path: path / "a\0b",
    "a name without end":   lambda path: path / ("x" * 5000),
    "below a file":         lambda path: path / "README.md" / "model",
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS.values(), ids=OTHERS)
def test_a_path_that_is_no_model_is_refused(name, tmp_path):
    (tmp_path / "README.md").touch()

    with pytest.raises(InputError) as caught:
        read_files(Path(name(tmp_path)))

    assert caught.value.next

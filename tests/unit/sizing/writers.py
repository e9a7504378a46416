"""Writes model files as small as they can be: whole headers, and sparse data where the weights would be."""

import json
import math
import struct

from bayplan.sizing.ggml_types import GGML_TYPES
from bayplan.sizing.safetensors import DTYPE_BITS

LLAMA_8B = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
}

GGUF_METADATA = {
    "general.architecture": "llama",
    "llama.block_count": 32,
    "llama.embedding_length": 4096,
    "llama.attention.head_count": 32,
    "llama.attention.head_count_kv": 8,
    "llama.context_length": 8192,
}

_KINDS = {block.name: (number, block) for number, block in GGML_TYPES.items()}


def write_config(folder, **changes):
    """The config of an 8B model with changes; None takes a field away."""
    config = {name: value for name, value in (LLAMA_8B | changes).items() if value is not None}
    (folder / "config.json").write_text(json.dumps(config))


def safetensors_header(tensors):
    """The header of tensors (dtype and shape by name), and the bytes of data that it speaks of."""
    header, offset = {}, 0
    for name, (dtype, shape) in tensors.items():
        end = offset + math.prod(shape) * DTYPE_BITS[dtype] // 8
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [offset, end]}
        offset = end
    return header, offset


def write_safetensors(path, tensors):
    header, data_bytes = safetensors_header(tensors)
    write_header(path, header, data_bytes)


def write_header(path, header, data_bytes=0):
    """Any header, right or wrong."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    with path.open("wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text)
        stream.truncate(8 + len(text) + data_bytes)


def gguf_text(text):
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def gguf_value(value):
    """Whole numbers as UINT32, lists of them or of texts as arrays."""
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + gguf_text(value)
    kind = 8 if value and isinstance(value[0], str) else 4
    items = b"".join(gguf_text(each) if kind == 8 else struct.pack("<I", each) for each in value)
    return struct.pack("<IIQ", 9, kind, len(value)) + items


def gguf_bytes(metadata=GGUF_METADATA, tensors=None, *, magic=b"GGUF", version=3):
    """A header, and how many bytes of data it speaks of."""
    tensors = tensors or {}
    parts = [magic, struct.pack("<IQQ", version, len(tensors), len(metadata))]
    parts += [gguf_text(key) + gguf_value(value) for key, value in metadata.items()]
    offset = 0
    for name, (kind, shape) in tensors.items():
        number, block = _KINDS[kind]
        shape_bytes = b"".join(struct.pack("<Q", each) for each in shape)
        parts.append(gguf_text(name) + struct.pack("<I", len(shape)) + shape_bytes + struct.pack("<IQ", number, offset))
        offset += -(-math.prod(shape) // block.values * block.size_bytes // 32) * 32
    return b"".join(parts), offset


def write_gguf(path, metadata=GGUF_METADATA, tensors=None):
    header, data_bytes = gguf_bytes(metadata, tensors)
    with path.open("wb") as stream:
        stream.write(header)
        stream.truncate(-(-len(header) // 32) * 32 + data_bytes)


class Memory:
    """A file in memory, as the reader of GGUF asks for it; `size_bytes` may claim more than there is."""

    def __init__(self, content, size_bytes=None):
        self._content = content
        self.size_bytes = len(content) if size_bytes is None else size_bytes

    def read(self, offset, length):
        return self._content[offset : offset + length]

"""A batch of KV events as engines send it, decoded: vLLM's and SGLang's, as arrays or as maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bayplan.routing.endpoints.kv_event import KvEvent

if TYPE_CHECKING:
    from bayplan.routing.endpoints.kv_event import BlockHash

# the fields of tagged arrays, in their order; later versions of engines append more
_STORED: Final = (
    "block_hashes", "parent_block_hash", "token_ids", "block_size", "lora_id", "medium", "lora_name", "extra_keys",
    "group_idx", "kv_cache_spec_kind", "sliding_window",
)  # fmt: skip
_REMOVED: Final = ("block_hashes", "medium", "group_idx")
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "BlockStored": _STORED,
    "BlockRemoved": _REMOVED,
    "AllBlocksCleared": (),
}
_BATCH: Final = ("ts", "events", "data_parallel_rank")
_FULL_ATTENTION: Final = (None, "full_attention", "FullAttentionSpec", "mla_attention", "MLAAttentionSpec")
"""Kinds of KV caches that hold every block of a prompt; others forget the front of it by themselves."""


class BatchError(ValueError):
    """Bytes that are no batch of events."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one message says. `left_out` counts events whose blocks are not told by their tokens alone."""

    time_s: float
    events: tuple[KvEvent, ...]
    left_out: int = 0


def read_batch(data: Any, model: str) -> Batch:
    """A batch from what msgpack holds; `model` is the name in its topic, and adapters have names of their own."""
    fields = _named(data, _BATCH)
    time_s, listed = fields.get("ts"), fields.get("events")
    if not isinstance(time_s, int | float) or not isinstance(listed, Sequence) or isinstance(listed, str | bytes):
        raise BatchError("it is no batch of a time and events")
    events = [_event(each, model) for each in listed]
    known = tuple(each for each in events if each is not None)
    return Batch(float(time_s), known, len(events) - len(known))


def _event(data: Any, model: str) -> KvEvent | None:
    kind, fields = _tagged(data)
    if kind == "AllBlocksCleared":
        return KvEvent("cleared", model)
    if fields.get("group_idx") or fields.get("kv_cache_spec_kind") not in _FULL_ATTENTION:
        return None  # a second cache of a hybrid model: its blocks say nothing about prefixes
    medium, hashes = fields.get("medium"), _hashes(fields.get("block_hashes"))
    shown = medium.lower() if isinstance(medium, str) else None
    if kind == "BlockRemoved":
        return KvEvent("removed", model, medium=shown, block_hashes=hashes)
    return _stored(fields, hashes, shown, model)


def _stored(fields: Mapping[str, Any], hashes: tuple[BlockHash, ...], medium: str | None, model: str) -> KvEvent | None:
    parent, size, tokens = (fields.get(key) for key in ("parent_block_hash", "block_size", "token_ids"))
    if not isinstance(size, int) or size < 1 or not (parent is None or isinstance(parent, int | bytes)):
        raise BatchError("a stored event without a block size, or with a parent that is no hash")
    if not isinstance(tokens, Sequence) or not all(isinstance(each, int) for each in tokens):
        return None  # pairs of tokens, as speculative decoding has them
    adapter = fields.get("lora_name")
    whole = min(len(hashes), len(tokens) // size, _plain_blocks(fields, adapter))
    if not whole:
        return None
    return KvEvent(
        "stored",
        adapter if isinstance(adapter, str) and adapter else model,
        token_ids=tuple(tokens[: whole * size]),
        medium=medium,
        block_hashes=hashes[:whole],
        parent_hash=parent,
        block_size=size,
    )


def _plain_blocks(fields: Mapping[str, Any], adapter: Any) -> int:
    """How many of the first blocks are told by their tokens alone.

    Salts of caches and images are keys beside the tokens: a prompt with the same tokens does not hit such a block.
    """
    keys = fields.get("extra_keys")
    if not isinstance(keys, Sequence) or isinstance(keys, str | bytes):
        return 1 << 30
    allowed = (None, adapter, fields.get("lora_id"))
    for number, each in enumerate(keys):
        own = each if isinstance(each, Sequence) and not isinstance(each, str | bytes) else [each]
        if any(key not in allowed for key in own):
            return number
    return 1 << 30


def _tagged(data: Any) -> tuple[str, Mapping[str, Any]]:
    """The kind of an event and its fields by name."""
    if isinstance(data, Mapping):
        kind, fields = data.get("type"), data
    elif isinstance(data, Sequence) and not isinstance(data, str | bytes) and data:
        kind, fields = data[0], _named(data[1:], _FIELDS.get(data[0], ()) if isinstance(data[0], str) else ())
    else:
        kind, fields = None, {}
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise BatchError(f"{kind!r:.40} is no kind of event")
    return kind, fields


def _named(data: Any, names: tuple[str, ...]) -> Mapping[str, Any]:
    if isinstance(data, Mapping):
        return data
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return dict(zip(names, data, strict=False))  # defaults at the end are not sent
    raise BatchError("it is neither an array nor a map")


def _hashes(listed: Any) -> tuple[BlockHash, ...]:
    if not isinstance(listed, Sequence) or isinstance(listed, str | bytes):
        raise BatchError("an event without hashes of blocks")
    if not all(isinstance(each, int | bytes) for each in listed):
        raise BatchError("hashes of blocks that are neither numbers nor bytes")
    return tuple(listed)

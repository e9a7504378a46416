"""Hashes of prompts' blocks: each stands for the model, the cache salt and all tokens up to the block's end.

A token is an id, or 4 bytes of text. A block is hashed by a sum of its tokens, each with a multiplier of its own; a
prompt's hashes are the running sum of its blocks' hashes, each with a multiplier of its place. All of that is a few
calls of NumPy for the whole prompt: from 4 kB on that is faster than a C hash that is called for each block, and ten
times faster at 400 kB. Sums can be continued, so that engines may tell of a prompt's blocks one after the other.
"""

from __future__ import annotations

from array import array
from functools import cache, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from bayplan.routing.prefix.brought_blocks import brought_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from bayplan.routing.requests.routed_request import Prompt, RoutedRequest

    Words = npt.NDArray[np.uint64]
    Data = bytes | memoryview

TOKEN_BYTES: Final = 4
"""Bytes of text that count as one token."""

MOST_SEEDS = 4096
"""Pairs of model and salt whose seeds are kept: a seed costs as much as a short prompt."""

MOST_BLOCKS = 4096
"""Prompts of one block whose hashes are kept: a call of NumPy costs ten times as much as looking one up."""

_INCREMENT: Final = 0x9E3779B97F4A7C15
_GOLDEN: Final = np.uint64(_INCREMENT)  # the increment of SplitMix64, whose mixer makes the multipliers
_MIXERS: Final = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
_HALF: Final = np.uint64(32)
_WORD: Final = 0xFFFFFFFFFFFFFFFF  # sums are modulo 2**64, as NumPy's are
_FEW: Final = 16
"""Blocks up to which plain numbers are faster than NumPy's."""
_SMALL: Final = 128
"""Tokens of a block up to which the hash of a prompt with one block is kept."""
_PARTIAL: Final = 0xD1B54A32D192ED03
"""Odd; times its length in bytes it is added to a block that is not full, which else would equal one with zeros."""


class Chain(NamedTuple):
    """The hashes of one prompt's blocks, from the first on, as plain ints in a list or a memoryview."""

    hashes: Sequence[int]
    size: int


class Chains(NamedTuple):
    """The hashes of all prompts of a request."""

    chains: tuple[Chain, ...]
    total_blocks: int


def chains_of(request: RoutedRequest, block_size: int, most_blocks: int | None, *, full_only: bool = False) -> Chains:
    """The request's hashes for blocks of this size; worked out once and kept with the request.

    No more than `most_blocks` of each prompt are looked at. `full_only` leaves out a last block that is not full.
    """
    key = ("block-hashes", block_size, most_blocks, full_only)
    found: Chains | None = request.notes.get(key)
    if found is None:
        chains = _brought(request, block_size, most_blocks, full_only=full_only) or tuple(
            chain_of(prompt, request.model, request.cache_salt, block_size, most_blocks, full_only=full_only)
            for prompt in request.prompts
        )
        found = request.notes[key] = Chains(chains, sum(chain.size for chain in chains))
    return found


def _brought(request: RoutedRequest, block_size: int, most_blocks: int | None, *, full_only: bool) -> tuple[Chain, ...]:
    """What a replayed request has instead of a prompt; empty for all others."""
    brought = brought_blocks(request)
    if brought is None:
        return ()
    names = brought.names_of(request.prompt_tokens, block_size, most_blocks, full_only=full_only)
    return () if names is None else (Chain(names, len(names)),)


def chain_of(
    prompt: Prompt,
    model: str | None,
    salt: str,
    block_size: int,
    most_blocks: int | None = None,
    *,
    full_only: bool = False,
) -> Chain:
    """The hashes of one prompt."""
    token_ids, text = prompt
    data: Data
    if token_ids is None:
        is_text, data, tokens = True, text, -(-len(text) // TOKEN_BYTES)
    else:
        is_text, data, tokens = False, id_bytes(token_ids), len(token_ids)
    count = tokens // block_size if full_only else -(-tokens // block_size)
    if most_blocks is not None:
        count = min(count, most_blocks)
    before = seed_of(is_text, model, salt)
    if count <= _FEW:
        full = min(count, len(data) // (block_size * TOKEN_BYTES))
        return Chain(_few_hashes(data, block_size, count, full, 0, before), count)
    return Chain(running_hashes(data, block_size, count, first=0, before=before), count)


def running_hashes(data: Data, block_size: int, count: int, *, first: int, before: int) -> Sequence[int]:
    """The hashes of `count` blocks, of which the first is at place `first` of its prompt, after the hash `before`."""
    full = min(count, len(data) // (block_size * TOKEN_BYTES))
    if first + count <= _FEW:
        return _few_hashes(data, block_size, count, full, first, before)
    blocks: Words = np.empty(count, np.uint64)
    if full:  # else a block may be larger than the memory
        words = np.frombuffer(data, np.uint32, full * block_size).reshape(full, block_size)
        np.matmul(words, _multipliers(block_size), out=blocks[:full])
    if full < count:
        blocks[full] = _partial(bytes(data[full * block_size * TOKEN_BYTES :]))
    np.add(blocks, _GOLDEN, out=blocks)  # else a block of zeros would add nothing
    # The low bits of these sums depend on the tokens' low bits only, and all that follows would stay linear in them.
    np.bitwise_xor(blocks, np.right_shift(blocks, _HALF), out=blocks)
    np.multiply(blocks, _multipliers(first + count)[first:], out=blocks)
    if count:
        blocks[0] = (int(blocks[0]) + before) & _WORD
    return np.add.accumulate(blocks, out=blocks).data


def _few_hashes(data: Data, block_size: int, count: int, full: int, first: int, before: int) -> list[int]:
    """The same of a short prompt: only the sums of its blocks are worth a call of NumPy."""
    if count == full == 1 and block_size <= _SMALL:
        return [_lone_hash(bytes(data[: block_size * TOKEN_BYTES]), first, before)]
    sums: list[int] = []
    if full:
        words = np.frombuffer(data, np.uint32, full * block_size).reshape(full, block_size)
        sums = words.dot(_multipliers(block_size)).tolist()
    if full < count:
        sums.append(_partial(bytes(data[full * block_size * TOKEN_BYTES :])))
    multipliers = _few_multipliers()
    for place in range(count):
        mixed = (sums[place] + _INCREMENT) & _WORD
        sums[place] = before = (before + (mixed ^ (mixed >> 32)) * multipliers[first + place]) & _WORD
    return sums


@lru_cache(maxsize=MOST_BLOCKS)
def _lone_hash(block: bytes, place: int, before: int) -> int:
    """The hash of one full block. Prompts begin with what others began with, so many are found."""
    words = np.frombuffer(block, np.uint32)
    mixed = (int(words.dot(_multipliers(len(words)))) + _INCREMENT) & _WORD
    return (before + (mixed ^ (mixed >> 32)) * _few_multipliers()[place]) & _WORD


def id_bytes(token_ids: Sequence[int]) -> Data:
    """Ids of tokens as 4 bytes each; of larger ones, which no model has, the low half."""
    if isinstance(token_ids, memoryview):
        return token_ids.cast("B")
    try:
        return array("I", token_ids).tobytes()
    except OverflowError:
        return array("I", [each & 0xFFFFFFFF for each in token_ids]).tobytes()


@lru_cache(maxsize=MOST_SEEDS)
def seed_of(is_text: bool, model: str | None, salt: str) -> int:
    """Where a prompt's sum begins: prompts of other models or salts, and text and ids, are never equal."""
    parts = (b"text" if is_text else b"ids", b"" if model is None else b"=" + model.encode(), salt.encode())
    told = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    return int.from_bytes(blake2b(told, digest_size=8).digest(), "little")


def _partial(rest: bytes) -> int:
    """The sum of a block that is not full."""
    tokens = np.frombuffer(rest.ljust(-(-len(rest) // TOKEN_BYTES) * TOKEN_BYTES, b"\0"), np.uint32)
    total = int(tokens.dot(_multipliers(len(tokens))))
    return (total + len(rest) * _PARTIAL) & _WORD


_made: list[Words] = [np.empty(0, np.uint64)]
"""The multipliers that were needed so far; doubled where more are."""


def _multipliers(count: int) -> Words:
    """The first odd numbers of a fixed sequence that looks random."""
    if len(_made[0]) < count:
        numbers = np.arange(1, 2 * count + 1024, dtype=np.uint64) * _GOLDEN
        for shift, factor in _MIXERS:
            numbers ^= numbers >> shift
            numbers *= factor
        numbers ^= numbers >> np.uint64(31)
        _made[0] = numbers | np.uint64(1)
    return _made[0][:count]


@cache
def _few_multipliers() -> list[int]:
    found: list[int] = _multipliers(_FEW).tolist()
    return found

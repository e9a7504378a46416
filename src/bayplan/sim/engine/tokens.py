"""Tokens of a simulated engine: four bytes each, of prompts as of answers.

Real tokenizers make about one token of four bytes of English. What matters for scheduling is that equal prompts
have equal tokens and that longer prompts have more of them.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterable

BYTES_PER_TOKEN = 4
LARGEST_ID = 2 ** (8 * BYTES_PER_TOKEN) - 1

_WORDS = (
    b" aft and ark bay bow box bin cab cap car cog cue day den dip dot ebb end far fan fit for gap gas hub hut "
    b"ice ink jet jib jot keg key kit lap log map mat mid net new nip now oak oar old one ore out pad pen pin "
    b"ply pod raw red rib rig row rum run sea set six sky tar ten tie tin tip top tow tub two van way web yet zip"
)
WORDS = tuple(b" " + word for word in _WORDS.split())
"""Every word is one token: a blank and three letters."""

_STRIDE = 31  # shares no factor with the number of words, so that an answer goes through all of them


def count_tokens(text: bytes) -> int:
    """The tokens of a text; a last token may be short."""
    return -(-len(text) // BYTES_PER_TOKEN)


def token_ids(text: bytes) -> list[int]:
    """The number of each token."""
    return array("I", text + bytes(-len(text) % BYTES_PER_TOKEN)).tolist()


def text_of(ids: Iterable[int]) -> bytes:
    """The prompt that has these tokens; each must be between 0 and LARGEST_ID."""
    return array("I", ids).tobytes()


def block_hashes(text: bytes, block_tokens: int, salt: object = None) -> list[int]:
    """A hash for each full block, which stands for everything up to its end; `salt` keeps adapters apart.

    Python's own hash: it differs between processes, which nobody can see, and cannot be steered by a client.
    """
    size = block_tokens * BYTES_PER_TOKEN
    found: list[int] = []
    before = hash(salt)
    for at in range(0, len(text) - size + 1, size):
        before = hash((before, text[at : at + size]))
        found.append(before)
    return found


def first_word(prompt: bytes, seed: int) -> int:
    """Where the answer to a prompt begins among the words: equal prompts and seeds are answered alike."""
    return crc32(prompt, seed & 0xFFFFFFFF) % len(WORDS)


def answer(first: int, begin: int, end: int) -> bytes:
    """The tokens of an answer from one index to another."""
    number = len(WORDS)
    return b"".join([WORDS[(first + index * _STRIDE) % number] for index in range(begin, end)])


def word(first: int, index: int) -> bytes:
    """One token of an answer."""
    return WORDS[(first + index * _STRIDE) % len(WORDS)]

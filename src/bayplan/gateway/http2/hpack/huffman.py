"""Huffman codes of header strings (RFC 7541, appendix B), read four bits at a time.

The code is canonical: shorter codes come first, equal lengths in the order of symbols. So lengths are all that is kept.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

# bits of the code of each byte from 0 to 255, and of the end of a string, two hexadecimal digits each
_LENGTHS: Final = bytes.fromhex(
    "0d171c1c1c1c1c1c1c181e1c1c1e1c1c1c1c1c1c1c1c1e1c1c1c1c1c1c1c1c1c060a0a0c0d06080b0a0a080b08060606"
    "0505050606060606060607080f060c0a0d06070707070707070707070707070707070707070707070807080d130d0e06"
    "0f05060506050606060507070606060506070605050607070707070f0b0e0d1c14161414161616171617171717171817"
    "181816171817171717151617161717181615141616171715171616181516171715151615171617171416161617161617"
    "1a1a1413161716191a1a1a1b1b1a181913151a1b1b1a1b1815151a1a1c1b1b1b14181415161515171616191918181a17"
    "1a1b1a1a1b1b1b1b1b1c1b1b1b1b1b1a1e"
)
_END: Final = 256
_MOST_PADDING_BITS: Final = 7  # a whole byte of padding is an error


class _Step(NamedTuple):
    """What four bits do in a state: the state after them, and the byte that they complete, if any."""

    state: int
    byte: int | None


class _Machine(NamedTuple):
    """Steps of state × 16 + four bits; None where they complete the end symbol. `ends` are states to stop in."""

    steps: tuple[_Step | None, ...]
    ends: frozenset[int]


def decode(data: bytes) -> bytes | None:
    """The string, or None where it has a code that must not occur or padding that is no padding."""
    machine = _machine()
    steps, state = machine.steps, 0
    found = bytearray()
    for each in data:
        for bits in (each >> 4, each & 15):
            step = steps[state << 4 | bits]
            if step is None:
                return None
            state, byte = step
            if byte is not None:
                found.append(byte)
    return bytes(found) if state in machine.ends else None


@cache
def _machine() -> _Machine:
    """The steps of all states; a state is a beginning of a code, (length, bits)."""
    symbols = _symbols()
    states = {(0, 0): 0}
    for length, code in symbols:
        for kept in range(1, length):
            states.setdefault((kept, code >> (length - kept)), len(states))
    steps = [_step(symbols, states, state, bits) for state in states for bits in range(16)]
    ones = ((length, 2**length - 1) for length in range(_MOST_PADDING_BITS + 1))
    return _Machine(tuple(steps), frozenset(states[each] for each in ones))


def _symbols() -> dict[tuple[int, int], int]:
    """Each symbol by its code."""
    found: dict[tuple[int, int], int] = {}
    code = before = 0
    for length, symbol in sorted((length, symbol) for symbol, length in enumerate(_LENGTHS)):
        code <<= length - before
        before = length
        found[length, code] = symbol
        code += 1
    return found


def _step(
    symbols: dict[tuple[int, int], int], states: dict[tuple[int, int], int], state: tuple[int, int], bits: int
) -> _Step | None:
    """No code is shorter than five bits, so that four complete one symbol at most."""
    byte = None
    length, code = state
    for place in (3, 2, 1, 0):
        length, code = length + 1, code << 1 | bits >> place & 1
        symbol = symbols.get((length, code))
        if symbol == _END:
            return None
        if symbol is not None:
            byte, length, code = symbol, 0, 0
    return _Step(states[length, code], byte)

"""Recorded requests: when they arrived, how long they were, and which blocks of their prompts they share."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Final

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

BLOCK_TOKENS: Final = 512
"""Tokens of one block of the published Mooncake traces."""

BATCH_S: Final = 3.0
"""The Mooncake traces round times down to this; arrivals are spread evenly over it."""


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """One request. `blocks` are names of its prompt's blocks; each stands for the whole prompt up to its end."""

    id: str
    arrived_s: float
    prompt_tokens: int
    output_tokens: int
    blocks: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Requests in the order of arrival."""

    name: str
    requests: tuple[TraceRequest, ...]
    block_tokens: int = BLOCK_TOKENS

    @property
    def seconds(self) -> float:
        """From the first arrival to the last."""
        return self.requests[-1].arrived_s - self.requests[0].arrived_s if self.requests else 0.0

    def between(self, begin_s: float, end_s: float) -> Trace:
        """The requests of a stretch of time."""
        kept = tuple(each for each in self.requests if begin_s <= each.arrived_s < end_s)
        return replace(self, requests=kept)

    def faster(self, speed: float) -> Trace:
        """The same requests, arriving at this many times the pace."""
        return replace(self, requests=tuple(replace(each, arrived_s=each.arrived_s / speed) for each in self.requests))

    def bursts(self, factor: float, period_s: float, share: float, seed: int) -> Trace:
        """The same requests, of which this share arrives in short bursts at so many times the mean pace.

        In every period one stretch, at a random place, gets `share` of the period's requests within the time that they
        would take at `factor` times the pace; order is kept.
        """
        chance = Random(seed)  # noqa: S311 (nothing is kept secret by it)
        moved: list[TraceRequest] = []
        for begin_s, group in self._periods(period_s):
            length_s = period_s * share / factor
            at_s = begin_s + chance.random() * (period_s - length_s)
            first = chance.randrange(len(group) - int(share * len(group)) + 1)
            inside = group[first : first + int(share * len(group))]
            for each in group:
                time_s = at_s + chance.random() * length_s if each in inside else each.arrived_s
                moved.append(replace(each, arrived_s=time_s))
        moved.sort(key=lambda each: each.arrived_s)
        return replace(self, requests=tuple(moved))

    def _periods(self, period_s: float) -> Iterator[tuple[float, list[TraceRequest]]]:
        groups: dict[int, list[TraceRequest]] = {}
        for each in self.requests:
            groups.setdefault(int(each.arrived_s // period_s), []).append(each)
        for number, group in groups.items():
            yield number * period_s, group


def mooncake(path: Path, *, seed: int = 0, batch_s: float = BATCH_S) -> Trace:
    """A trace in the form of Mooncake: one JSON object a line, times in ms, block hashes of 512 tokens."""
    chance = Random(seed)  # noqa: S311 (nothing is kept secret by it)
    found: list[TraceRequest] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
                arrived_s = float(entry["timestamp"]) / 1000 + chance.random() * batch_s
                prompt, output = int(entry["input_length"]), int(entry["output_length"])
                blocks = tuple(map(int, entry["hash_ids"]))
            except (ValueError, KeyError, TypeError) as problem:
                raise _unreadable(path, number, problem) from problem
            found.append(TraceRequest(str(number), arrived_s, max(1, prompt), max(1, output), blocks))
    return Trace(path.stem, _ordered(found))


def azure(path: Path, *, block_tokens: int = BLOCK_TOKENS) -> Trace:
    """A trace in the form of Azure 2023: TIMESTAMP, ContextTokens, GeneratedTokens; no two prompts share a block."""
    names = count(1)
    found: list[TraceRequest] = []
    with path.open(encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines), start=2):
            try:
                at = datetime.fromisoformat(row["TIMESTAMP"][:26])
                prompt, output = int(row["ContextTokens"]), int(row["GeneratedTokens"])
            except (ValueError, KeyError, TypeError) as problem:
                raise _unreadable(path, number, problem) from problem
            blocks = tuple(next(names) for _ in range(-(-prompt // block_tokens)))
            seconds = at.hour * 3600 + at.minute * 60 + at.second + at.microsecond * 1e-6
            found.append(TraceRequest(str(number), seconds, max(1, prompt), max(1, output), blocks))
    ordered = _ordered(found)
    begin_s = ordered[0].arrived_s if ordered else 0.0
    return Trace(path.stem, tuple(replace(each, arrived_s=each.arrived_s - begin_s) for each in ordered), block_tokens)


def sessions(requests: Sequence[TraceRequest]) -> dict[str, list[TraceRequest]]:
    """Requests by conversation: a request that begins with all full blocks of an earlier one is its next turn.

    The first block does not count: in the published trace every prompt has the same one.
    """
    ends: dict[int, str] = {}
    found: dict[str, list[TraceRequest]] = {}
    for each in requests:
        full = each.blocks[: each.prompt_tokens // BLOCK_TOKENS]
        session = next((ends[block] for block in reversed(each.blocks[1:]) if block in ends), each.id)
        found.setdefault(session, []).append(each)
        if len(full) > 1:
            ends[full[-1]] = session
    return found


def _ordered(found: Iterable[TraceRequest]) -> tuple[TraceRequest, ...]:
    return tuple(sorted(found, key=lambda each: each.arrived_s))


def _unreadable(path: Path, number: int, problem: Exception) -> InputError:
    place = f"{path.name}:{number}"
    return InputError(
        f"cannot be read ({type(problem).__name__}: {problem})", place=place, next="see docs/simulation.md"
    )

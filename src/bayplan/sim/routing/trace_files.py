"""Readers of published traces: Mooncake's lines of JSON, and Azure's tables of 2023."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from datetime import datetime
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Final

from bayplan.framework.errors import InputError
from bayplan.sim.routing.trace import BLOCK_TOKENS, Trace, TraceRequest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

BATCH_S: Final = 3.0
"""Mooncake's times are rounded down to this; arrivals are spread evenly over it."""

DAY_S: Final = 86_400


def read_trace(path: Path, *, seed: int = 0) -> Trace:
    """A file of either form: a table where its name ends in .csv, else lines of JSON."""
    try:
        return read_azure(path) if path.suffix.lower() == ".csv" else read_mooncake(path, seed=seed)
    except UnicodeDecodeError as problem:
        raise InputError("is no text in UTF-8", place=path.name, next="see docs/replay.md") from problem


def read_mooncake(path: Path, *, seed: int = 0, batch_s: float = BATCH_S) -> Trace:
    """A file in Mooncake's form: one JSON object a line, times in ms, names of blocks of 512 tokens.

    The seed decides where in its batch each request arrives; `batch_s` 0 takes times as they are.
    """
    chance = Random(seed)  # noqa: S311 (a simulation)
    found: list[TraceRequest] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                request = _from_line(line, path, number)
                found.append(replace(request, arrived_s=request.arrived_s + chance.random() * batch_s))
    return Trace(path.stem, _ordered(found))


def read_azure(path: Path, *, block_tokens: int = BLOCK_TOKENS) -> Trace:
    """A file in the form of Azure 2023: TIMESTAMP, ContextTokens, GeneratedTokens; no two prompts share a block."""
    names = count()
    found: list[TraceRequest] = []
    with path.open(encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines), start=2):
            request = _from_row(row, path, number)
            blocks = tuple(next(names) for _ in range(-(-request.prompt_tokens // block_tokens)))
            found.append(replace(request, blocks=blocks))
    ordered = _ordered(found)
    begin_s = ordered[0].arrived_s if ordered else 0.0
    return Trace(path.stem, ordered, block_tokens).between(begin_s, float("inf"))


def _from_line(line: str, path: Path, number: int) -> TraceRequest:
    try:
        entry = json.loads(line)
        blocks = tuple(map(int, entry["hash_ids"]))
        return _request(number, float(entry["timestamp"]) / 1000, entry["input_length"], entry["output_length"], blocks)
    except (ValueError, KeyError, TypeError) as problem:
        raise _unreadable(path, number, problem) from problem


def _from_row(row: dict[str, str], path: Path, number: int) -> TraceRequest:
    try:
        at = datetime.fromisoformat(row["TIMESTAMP"][:26])  # it has seven digits of a second, one too many
        seconds = at.toordinal() * DAY_S + at.hour * 3600 + at.minute * 60 + at.second + at.microsecond * 1e-6
        return _request(number, seconds, row["ContextTokens"], row["GeneratedTokens"], ())
    except (ValueError, KeyError, TypeError) as problem:
        raise _unreadable(path, number, problem) from problem


def _request(
    number: int, arrived_s: float, prompt: str | int, output: str | int, blocks: tuple[int, ...]
) -> TraceRequest:
    """Engines compute at least one token of a prompt and answer with at least one."""
    return TraceRequest(str(number), arrived_s, max(1, int(prompt)), max(1, int(output)), blocks)


def _ordered(found: Iterable[TraceRequest]) -> tuple[TraceRequest, ...]:
    return tuple(sorted(found, key=lambda each: each.arrived_s))


def _unreadable(path: Path, number: int, problem: Exception) -> InputError:
    message = f"cannot be read ({type(problem).__name__}: {problem})"
    return InputError(message, place=f"{path.name}:{number}", next="see docs/replay.md")

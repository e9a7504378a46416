"""Cards and amounts as people read them: `cuda:0-3`, `0.875`, `12.00`."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_LEAST_SHOWN_MIB = 52
"""The least amount that rounds to 0.1 GiB; anything less would be shown as 0.0."""


def cards(gpus: Iterable[dict[str, Any]]) -> str:
    """`cuda:0-3,6`, each runtime by itself; instances by card and profile, `cuda:0 1g.10gb@4-6`."""
    listed = list(gpus)
    runtimes = dict.fromkeys(gpu["runtime"] for gpu in listed if gpu["mig"] is None)
    plain = [
        f"{runtime}:{ranges(gpu['index'] for gpu in listed if gpu['runtime'] == runtime and gpu['mig'] is None)}"
        for runtime in runtimes
    ]
    return " ".join([*plain, *_instances(gpu for gpu in listed if gpu["mig"] is not None)]) or "-"


def ranges(numbers: Iterable[int]) -> str:
    """`0-3,6` for 0, 1, 2, 3 and 6."""
    ordered = sorted(set(numbers))
    runs = [list(run) for _, run in groupby(enumerate(ordered), lambda pair: pair[1] - pair[0])]
    return ",".join(_run(run[0][1], run[-1][1]) for run in runs)


def sizes(gpus: Iterable[dict[str, Any]]) -> str:
    """The memory that each card gives; several amounts where they differ."""
    return ", ".join(dict.fromkeys(_size(gpu) for gpu in gpus)) or "-"


def gib(memory_mib: int | None) -> str:
    """Memory in a column of GiB with one decimal; an amount too small for that is shown as `<0.1`."""
    if memory_mib is None:
        return "unknown"
    return "<0.1" if 0 < memory_mib < _LEAST_SHOWN_MIB else f"{memory_mib / 1024:.1f}"


def cores(cpu_milli: int | None) -> str:
    """CPU in a column of cores."""
    return "unknown" if cpu_milli is None else f"{cpu_milli / 1000:g}"


def score(number: float | None) -> str:
    """Three digits: enough to see which is larger."""
    return "-" if number is None else f"{number:.3f}"


def money(usd: float | None) -> str:
    """Dollars and cents."""
    return "unknown" if usd is None else f"{usd:.2f}"


def several(names: Sequence[str], most: int = 3) -> str:
    """The first few names and how many more there are."""
    if len(names) <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def _run(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _instances(gpus: Iterable[dict[str, Any]]) -> Iterator[str]:
    found: dict[str, list[int | None]] = {}
    for gpu in gpus:
        card = "any card" if gpu["index"] is None else f"{gpu['runtime']}:{gpu['index']}"
        found.setdefault(f"{card} {gpu['mig']['profile']}", []).append(gpu["mig"]["start"])
    for name, starts in found.items():
        known = [start for start in starts if start is not None]
        more = f" x {len(starts)}" if len(starts) > 1 else ""
        yield f"{name}@{ranges(known)}" if known else f"{name}{more}"


def _size(gpu: dict[str, Any]) -> str:
    if gpu["mig"] is not None:
        return "instance"
    parts = [] if gpu["memory_mib"] is None else [gib(gpu["memory_mib"])]
    if gpu["compute_percent"] is not None:
        parts.append(f"{gpu['compute_percent']:g} %")
    return " + ".join(parts) or "whole"

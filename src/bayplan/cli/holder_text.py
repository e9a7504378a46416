"""Who holds the cards of workers, and which cards cannot be used whole, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cli.card_text import gib, ranges
from bayplan.cli.output import Part, Sheet, Title
from bayplan.cluster.identity import WorkloadKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_SHOWN = 40
"""As many lines as fit on a screen; -o wide shows all."""
_SHOWN_AS_HOLDERS = frozenset({"held", "shared"})
_REASONS = {
    "unhealthy": "the card is unhealthy",
    "mig": "MIG is enabled, or an instance is booked",
    "foreign": "processes that are not booked use its memory",
    "not-ready": "the worker is not ready",
    "cordoned": "the worker is cordoned",
    "draining": "the worker is draining",
}


def holder_parts(
    holders: Sequence[dict[str, Any]], unusable: Sequence[dict[str, Any]], *, wide: bool
) -> Iterator[Part]:
    """Tables of holders and of unusable cards, each row with its worker; no table where there are no rows."""
    if holders:
        yield from _table("Held by", _holder_sheet, holders, wide=wide)
    others = _grouped(each for each in unusable if each["reason"] not in _SHOWN_AS_HOLDERS)
    if others:
        yield from _table("Cards that cannot be used whole, and why", _unusable_sheet, others, wide=wide)


def _table(title: str, drawn: Any, entries: Sequence[Any], *, wide: bool) -> Iterator[Part]:
    shown = entries if wide else entries[:MOST_SHOWN]
    yield from ("", Title(title), drawn(shown))
    if len(shown) < len(entries):
        yield f"... and {len(entries) - len(shown)} more; -o wide shows all"


def _holder_sheet(holders: Sequence[dict[str, Any]]) -> Sheet:
    """The worker is named in the first of its rows; the column of resources is there only if a holder has some."""
    rows, last = [], None
    named = any(each["resources"] for each in holders)
    for each in holders:
        rows.append(
            (
                each["worker"] if each["worker"] != last else "",
                holder_name(each),
                _cards(each["gpus"]),
                gib(each["memory_mib"]) if each["memory_mib"] else "-",
                str(each["priority"]),
                *([_amounts(each["resources"])] if named else []),
                gib(each["ram_mib"]) if each["ram_mib"] else "-",
            )
        )
        last = each["worker"]
    header = ("WORKER", "HELD BY", "GPUS", "GiB", "PRIORITY", *(["RESOURCES"] if named else []), "RAM GiB")
    sentences = ("GPUS", "RESOURCES") if named else ("GPUS",)
    return Sheet(header, rows, wide=1, sentences=sentences, spare=(("PRIORITY",),))


def holder_name(holder: dict[str, Any]) -> str:
    """`namespace/name#replica`; the default namespace is left out."""
    return f"{WorkloadKey(holder['namespace'], holder['workload'])}#{holder['replica']}"


def _amounts(resources: dict[str, int]) -> str:
    """`rdma/ib: 4` for each resource."""
    return ", ".join(f"{name}: {amount:,}" for name, amount in resources.items()) or "-"


def _cards(names: Iterable[str]) -> str:
    """`cuda:0-3` for four names; other words as they are."""
    runtimes: dict[str, list[int]] = {}
    others = []
    for name in names:
        runtime, colon, index = name.rpartition(":")
        if colon and index.isdecimal():
            runtimes.setdefault(runtime, []).append(int(index))
        else:
            others.append(name)
    plain = [f"{runtime}:{ranges(indices)}" for runtime, indices in runtimes.items()]
    return " ".join([*plain, *others]) or "-"


def _grouped(cards: Iterable[dict[str, Any]]) -> list[tuple[str, str, list[str], int]]:
    """Cards of one worker that are unusable for one reason, together."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for each in cards:
        groups.setdefault((each["worker"], each["reason"]), []).append(each)
    return [
        (worker, reason, [each["card"] for each in some], sum(each["foreign_mib"] or 0 for each in some))
        for (worker, reason), some in groups.items()
    ]


def _unusable_sheet(groups: Sequence[tuple[str, str, list[str], int]]) -> Sheet:
    rows = [
        (worker, _cards(cards), _REASONS.get(reason, reason), gib(foreign_mib) if foreign_mib else "-")
        for worker, reason, cards, foreign_mib in groups
    ]
    return Sheet(("WORKER", "GPUS", "WHY", "USED GiB"), rows, sentences=("WHY", "GPUS"))

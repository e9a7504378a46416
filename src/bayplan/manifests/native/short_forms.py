"""A Cluster document in its short forms: equal cards of a worker as one entry with `count`, equal workers too."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Any

_OF_ONE_CARD = ("uuid",)
_NUMBERED = re.compile(r"(.+)-(0|[1-9][0-9]*)", re.DOTALL)
_DEFAULT_RUNTIME = "cuda"


def shortened(document: dict[str, Any]) -> dict[str, Any]:
    """The same cluster in fewer lines; it is read as an equal cluster."""
    return {**document, "workers": _workers([_worker(each) for each in document["workers"]])}


def _worker(worker: dict[str, Any]) -> dict[str, Any]:
    cards = worker.get("gpus")
    return worker if not cards else {**worker, "gpus": _cards(cards)}


def _cards(cards: list[dict[str, Any]]) -> dict[str, Any] | list[dict[str, Any]]:
    """One entry for consecutive cards that differ only in their index."""
    groups: list[tuple[dict[str, Any], int]] = []
    for card in cards:
        first, count = groups[-1] if groups else (card, 0)
        if count and _continues(card, first, count):
            groups[-1] = (first, count + 1)
        else:
            groups.append((card, 1))
    starts = accumulate((count for _, count in groups), initial=0)
    written = [_group(first, count, start) for (first, count), start in zip(groups, starts, strict=False)]
    return written[0] if len(written) == 1 and groups[0][1] > 1 else written


def _continues(card: dict[str, Any], first: dict[str, Any], count: int) -> bool:
    if card["index"] != first["index"] + count or any(key in card for key in _OF_ONE_CARD):
        return False
    return card | {"index": first["index"]} == first


def _group(first: dict[str, Any], count: int, position: int) -> dict[str, Any]:
    """A card without the defaults of the reader: the runtime cuda, and the index that equals its position."""
    told = dict(first)
    if told.get("runtime") == _DEFAULT_RUNTIME:
        del told["runtime"]
    if told["index"] == position:
        del told["index"]
    return {"count": count, **told} if count > 1 else told


def _workers(workers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Consecutive workers NAME-0, NAME-1, ... that are equal otherwise, as NAME with a count."""
    written: list[dict[str, Any]] = []
    run: list[dict[str, Any]] = []
    for worker in workers:
        if run and not _follows(worker, run):
            written += _run(run)
            run = []
        run.append(worker)
    return [*written, *_run(run)]


def _follows(worker: dict[str, Any], run: list[dict[str, Any]]) -> bool:
    first = run[0]
    base = _base(first["name"])
    return (
        base is not None
        and "uid" not in worker
        and worker["name"] == f"{base}-{len(run)}"
        and worker | {"name": first["name"]} == first
    )


def _base(name: str) -> str | None:
    """NAME of NAME-0."""
    found = _NUMBERED.fullmatch(name)
    return found[1] if found and found[2] == "0" else None


def _run(run: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(run) < 2:
        return run
    name = _base(run[0]["name"])
    return [{"name": name, "count": len(run), **{key: value for key, value in run[0].items() if key != "name"}}]

"""A plan against its expectation: a table of keys, each with its own check."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from acceptance.case_files import CaseError
from acceptance.matching import ABSENT, checked, field, near, none_of, same, same_set, shown, warnings_contain, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from acceptance.case_files import Document
    from acceptance.matching import Check


def _replicas(plan: Document) -> list[Document]:
    return plan["replicas"]


def _shares(plan: Document) -> list[Document]:
    """What each added replica takes of each worker it uses."""
    return [share for replica in _replicas(plan) for share in replica["workers"]]


def _cards(plan: Document) -> dict[str, set[str]]:
    cards: dict[str, set[str]] = {}
    for share in _shares(plan):
        cards.setdefault(share["worker"], set()).update(f"{gpu['runtime']}:{gpu['index']}" for gpu in share["gpus"])
    return cards


def _each(place: str, values: list[Any], compare: Callable[[str, Any], Iterable[str]], what: str) -> Iterator[str]:
    """An expectation about every replica or card says that there is one."""
    if not values:
        yield f"{place}: expected at least one {what}, got none"
    for at, value in enumerate(values):
        yield from compare(f"{place} ({what} {at})", value)


def _each_replica(name: str) -> Check:
    def check(place: str, expected: Any, plan: Document, _: float) -> Iterator[str]:
        values = [replica.get(name, ABSENT) for replica in _replicas(plan)]
        return _each(place, values, lambda at, came: same(at, expected, came), "replica")

    return check


def _score(place: str, expected: float, plan: Document, tolerance: float) -> Iterator[str]:
    scores = [replica.get("score", ABSENT) for replica in _replicas(plan)]
    return _each(place, scores, lambda at, came: near(at, expected, came, tolerance), "replica")


def _memory(place: str, expected: Document, plan: Document, _: float) -> Iterator[str]:
    sizes = [gpu.get("memory_mib", ABSENT) for share in _shares(plan) for gpu in share["gpus"]]
    return _each(place, sizes, lambda at, came: within(at, expected, came), "card")


def _layers(place: str, expected: Document, plan: Document, _: float) -> Iterator[str]:
    layers = [_total([share.get("layers") for share in replica["workers"]]) for replica in _replicas(plan)]
    return _each(place, layers, lambda at, came: within(at, expected, came), "replica")


def _total(layers: list[int | None]) -> int | None:
    """Unknown where any part of it is unknown."""
    return None if None in layers else sum(layer for layer in layers if layer is not None)


def _any_of(place: str, expected: list[Document], plan: Document, tolerance: float) -> Iterator[str]:
    if not isinstance(expected, list) or not expected:
        raise CaseError(f"expect.{place}: must be a list of at least one entry")
    tried = [checked(f"{place}[{at}]", entry, plan, PLAN, tolerance) for at, entry in enumerate(expected)]
    if all(tried):
        yield f"{place}: none of {len(tried)} holds: " + "; ".join(line for lines in tried for line in lines)


def _gpus(place: str, expected: dict[str, list[str]], plan: Document, _: float) -> Iterator[str]:
    cards = {worker: sorted(names) for worker, names in _cards(plan).items()}
    return same(place, {worker: sorted(set(names)) for worker, names in expected.items()}, cards)


def _not_gpus(place: str, unwanted: dict[str, list[str]], plan: Document, _: float) -> Iterator[str]:
    cards = _cards(plan)
    for worker, names in unwanted.items():
        yield from none_of(f"{place}.{worker}", names, cards.get(worker, set()))


def _gpu_count(place: str, expected: int, plan: Document, _: float) -> Iterator[str]:
    return same(place, expected, sum(len(share["gpus"]) for share in _shares(plan)))


def _replicas_per_worker(place: str, expected: dict[str, int], plan: Document, _: float) -> Iterator[str]:
    used = Counter(name for replica in _replicas(plan) for name in {share["worker"] for share in replica["workers"]})
    return same(place, expected, dict(used))


def _removals(place: str, expected: list[list[int]], plan: Document, _: float) -> Iterator[str]:
    removed = {removal["replica"] for removal in plan["removals"]}
    if all(set(answer) != removed for answer in expected):
        yield f"{place}: expected one of {shown(expected)}, got {shown(removed)}"


PLAN: dict[str, Check] = {
    "verdict": field("verdict"),
    "placed": field("placed"),
    "tier": _each_replica("tier"),
    "tp": _each_replica("tp"),
    "pp": _each_replica("pp"),
    "score": _score,
    "workers": lambda place, expected, plan, _: same_set(place, expected, _cards(plan)),
    "gpus": _gpus,
    "any_of": _any_of,
    "not_workers": lambda place, unwanted, plan, _: none_of(place, unwanted, _cards(plan)),
    "not_gpus": _not_gpus,
    "gpu_count": _gpu_count,
    "replicas_per_worker": _replicas_per_worker,
    "memory_mib_per_gpu": _memory,
    "layers": _layers,
    "removals": _removals,
    "victims": lambda place, expected, plan, _: same_set(
        place, expected, [victim["workload"] for victim in plan["victims"]]
    ),
    "warnings_contain": warnings_contain,
}

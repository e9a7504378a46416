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


def _flags(replica: Document) -> list[tuple[str, str | None]]:
    """Flag and value of each argument; `--a=b`, `--a b` and the two words `--a`, `b` are the same."""
    words = [word for argument in replica.get("engine_args", []) for word in argument.split()]
    flags: list[tuple[str, str | None]] = []
    for word in words:
        if word.startswith("-"):
            name, equals, value = word.partition("=")
            flags.append((name, value if equals else None))
        elif flags and flags[-1][1] is None:
            flags[-1] = (flags[-1][0], word)
    return flags


def _has_flag(place: str, expected: str, replica: Document) -> Iterator[str]:
    name, equals, value = expected.partition("=")
    values = [given for flag, given in _flags(replica) if flag == name]
    if len(values) != 1 or (equals and values[0] != value):
        yield f"{place}: expected {expected} once, got {shown(replica.get('engine_args'))}"


def _lacks_flag(place: str, unwanted: str, replica: Document) -> Iterator[str]:
    if unwanted in {flag for flag, _ in _flags(replica)}:
        yield f"{place}: expected no {unwanted}, got {shown(replica.get('engine_args'))}"


def _engine_args(compare: Callable[[str, str, Document], Iterable[str]]) -> Check:
    def check(place: str, flags: list[str], plan: Document, _: float) -> Iterator[str]:
        for flag in flags:
            yield from _each(
                place, _replicas(plan), lambda at, replica, flag=flag: compare(at, flag, replica), "replica"
            )

    return check


PLAN: dict[str, Check] = {
    "engine_args_contain": _engine_args(_has_flag),
    "engine_args_lack": _engine_args(_lacks_flag),
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

"""Expectations against answers: one line a mismatch, nothing where all holds.

Only the keys given are compared. A key that no table below knows is a CaseError, never skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acceptance.case_files import known_keys
from acceptance.comparing_plans import PLAN
from acceptance.matching import ABSENT, checked, contains, field, near, none_of, same, shown, warnings_contain, within

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from acceptance.case_files import Document
    from acceptance.matching import Check


def compare_plan(expected: list[Document], answer: Document, tolerance: float) -> list[str]:
    """One entry a workload, in order; a single workload is answered by a Plan, several by a PlanList."""
    plans = answer.get("items") if answer.get("kind") == "PlanList" else [answer]
    if not isinstance(plans, list) or any(plan.get("kind") != "Plan" for plan in plans):
        return [f"plan: expected a Plan or a PlanList of Plans, got {shown(answer)}"]
    lines = list(same("the number of plans", len(expected), len(plans)))
    for at, (entry, plan) in enumerate(zip(expected, plans, strict=False)):
        lines += checked(f"plan[{at}]", entry, plan, PLAN, tolerance)
    return lines


def compare_why(expected: Document, answer: Document, tolerance: float) -> list[str]:
    return checked("why", expected, answer, WHY, tolerance)


def compare_estimate(expected: Document, answer: Document) -> list[str]:
    return checked("estimate", expected, answer, ESTIMATE, 0.0)


def compare_validation(expected: Document, answer: Document) -> list[str]:
    return checked("validate", expected, answer, VALIDATION, 0.0)


def compare_cluster(expected: Document, answer: Document) -> list[str]:
    """Workers by name; of each only what the expectation mentions."""
    workers = {worker["name"]: worker for worker in answer["workers"]}
    return [
        line for name, body in expected.items() for line in _part(f"cluster.{name}", body, workers.get(name, ABSENT))
    ]


def compare_error(expected: Document, place: str) -> list[str]:
    known_keys(expected, {"place_contains"}, "expect.error")
    return list(contains("error.place", expected.get("place_contains", ""), place))


def compare_seconds(expected: float, seconds: float) -> list[str]:
    return [] if seconds <= expected else [f"max_seconds: expected at most {expected} s, got {seconds:.2f} s"]


def _workers(place: str, expected: Document, why: Document, tolerance: float) -> Iterator[str]:
    workers = {worker["worker"]: worker for worker in why["workers"]}
    for name, entry in expected.items():
        if name not in workers:
            yield f"{place}.{name}: expected an answer, got nothing about this worker"
        else:
            yield from checked(f"{place}.{name}", entry, workers[name], WHY_WORKER, tolerance)


def _codes(place: str, expected: list[str], worker: Document, _: float) -> Iterator[str]:
    codes = {rejection["code"] for rejection in worker["rejections"]}
    if not set(expected) <= codes:
        yield f"{place}: expected all of {shown(expected)}, got {shown(codes)}"


def _terms(place: str, expected: dict[str, float], worker: Document, tolerance: float) -> Iterator[str]:
    terms = {term["plugin"]: term["score"] for term in (worker.get("score") or {"terms": []})["terms"]}
    for plugin, score in expected.items():
        yield from near(f"{place}.{plugin}", score, terms.get(plugin, ABSENT), tolerance)


def _gang(place: str, expected: Document, why: Document, tolerance: float) -> Iterable[str]:
    return checked(
        place, expected, why.get("gang") or {}, {"blocking": _blocking, "placeable": field("placeable")}, tolerance
    )


def _blocking(place: str, expected: list[str], gang: Document, _: float) -> Iterator[str]:
    """A role may be named for any of its members."""
    members = gang.get("blocking", [])
    missing = set(expected) - {*members, *(member.split("/")[0] for member in members)}
    if missing:
        yield f"{place}: expected {shown(missing)} among them, got {shown(members)}"


WHY: dict[str, Check] = {"workers": _workers, "gang": _gang}
WHY_WORKER: dict[str, Check] = {"feasible": field("feasible"), "codes": _codes, "terms": _terms}


def _size(name: str) -> Check:
    return lambda place, expected, answer, _: within(place, expected, answer.get(name, ABSENT))


def _per_gpu(place: str, expected: list[Document], estimate: Document, _: float) -> Iterator[str]:
    for at, entry in enumerate(expected):
        known_keys(entry, {"tp", "pp", "mib"}, f"expect.{place}[{at}]")
        shape = {key: entry[key] for key in ("tp", "pp")}
        rows = [row["mib"] for row in estimate["per_gpu"] if shape.items() <= row.items()]
        yield from within(f"{place}[{at}] (tp {entry['tp']}, pp {entry['pp']})", entry["mib"], *rows[:1] or [ABSENT])


def _tp_valid(place: str, expected: list[int], estimate: Document, _: float) -> Iterator[str]:
    listed = {row["tp"] for row in estimate["per_gpu"]}
    if not set(expected) <= listed:
        yield f"{place}: expected all of {shown(expected)}, got {shown(listed)}"


def _tp_invalid(place: str, unwanted: list[int], estimate: Document, _: float) -> Iterator[str]:
    return none_of(place, unwanted, [row["tp"] for row in estimate["per_gpu"]])


ESTIMATE: dict[str, Check] = {
    "weights_mib": _size("weights_mib"),
    "kv_mib": _size("kv_mib"),
    "total_mib": _size("total_mib"),
    "per_gpu": _per_gpu,
    "tp_valid": _tp_valid,
    "tp_invalid": _tp_invalid,
    "warnings_contain": warnings_contain,
}


def _errors(place: str, expected: list[Document], answer: Document, _: float) -> Iterator[str]:
    for at, entry in enumerate(expected):
        known_keys(entry, {"place_contains", "message_contains"}, f"expect.{place}[{at}]")
        texts = (entry.get("place_contains", ""), entry.get("message_contains", ""))
        if not any(texts[0] in error["place"] and texts[1] in error["message"] for error in answer["errors"]):
            yield f"{place}[{at}]: expected {shown(entry)}, got {shown(answer['errors'])}"


VALIDATION: dict[str, Check] = {"valid": field("valid"), "errors": _errors}


def compare_gpus(expected: Document, answer: Document, tolerance: float) -> list[str]:
    return checked("gpus", expected, answer, GPUS, tolerance)


def _free_models(place: str, expected: Document, answer: Document, tolerance: float) -> Iterator[str]:
    models = {entry["model"]: entry for entry in answer["models"]}
    for name, facts in expected.items():
        yield from _free_facts(f"{place}.{name}", facts, models.get(name, {}), tolerance)


def _free_facts(place: str, expected: Document, facts: Document, tolerance: float) -> Iterator[str]:
    for key, value in expected.items():
        came = facts.get(key, ABSENT)
        if key == "fragmentation" and value is not None:
            yield from near(f"{place}.{key}", value, came, tolerance)
        elif key == "sets":
            yield from _same_entries(f"{place}.{key}", value, came)
        else:
            yield from _part(f"{place}.{key}", value, came)


def _shared_cards(place: str, expected: list[Document], answer: Document, _: float) -> Iterator[str]:
    return _same_entries(place, expected, answer.get("shared_cards", ABSENT))


def _same_entries(place: str, expected: list[Document], came: Any) -> Iterator[str]:
    """As a whole in any order; of each entry the keys given."""
    left = list(came) if isinstance(came, list) else []
    for entry in expected:
        found = next((other for other in left if not list(_part(place, entry, other))), None)
        if found is None:
            yield f"{place}: expected {shown(entry)}, got {shown(came)}"
        else:
            left.remove(found)
    if left or not isinstance(came, list):
        yield f"{place}: expected {shown(expected)}, got {shown(came)}"


def _profiles(place: str, expected: Document, answer: Document, _: float) -> Iterator[str]:
    profiles = {entry["profile"]: entry for entry in answer["mig"]}
    for name, counts in expected.items():
        yield from _part(f"{place}.{name}", counts, profiles.get(name, ABSENT))


GPUS: dict[str, Check] = {
    "models": _free_models,
    "total": lambda place, expected, answer, tolerance: _free_facts(place, expected, answer["total"], tolerance),
    "shared_cards": _shared_cards,
    "mig": _profiles,
}


def _part(place: str, expected: Any, came: Any) -> Iterator[str]:
    """What is expected is found in what came; entries of a list with an `index` are found by it."""
    if isinstance(expected, dict) and isinstance(came, dict):
        for key, value in expected.items():
            yield from _part(f"{place}.{key}", value, came.get(key, ABSENT))
    elif _is_indexed(expected) and isinstance(came, list):
        for entry in expected:
            yield from _nearest(f"{place}[{entry['index']}]", entry, came)
    else:
        yield from same(place, expected, came)


def _nearest(place: str, expected: Document, entries: list[Document]) -> list[str]:
    """Cards of two runtimes may share an index: the one that fits better counts."""
    tried = [list(_part(place, expected, entry)) for entry in entries if entry.get("index") == expected["index"]]
    return min(tried, key=len) if tried else [f"{place}: expected {shown(expected)}, got nothing with this index"]


def _is_indexed(expected: Any) -> bool:
    entries = expected if isinstance(expected, list) else []
    return bool(entries) and all(isinstance(entry, dict) and "index" in entry for entry in entries)

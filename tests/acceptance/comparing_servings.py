"""Answers about models on servers against their expectations: tables of keys, each with its own check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acceptance.case_files import CaseError, known_keys
from acceptance.matching import ABSENT, checked, field, same, same_set, shown, warnings_contain, warnings_lack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from acceptance.case_files import Document
    from acceptance.matching import Check


def _given(expected: Document, came: Any) -> bool:
    """Whether the given keys are there with these values."""
    return isinstance(came, dict) and all(key in came and came[key] == value for key, value in expected.items())


def _found(place: str, expected: list[Document], came: list[Document]) -> Iterator[str]:
    """Each is found among them."""
    for at, entry in enumerate(expected):
        if not any(_given(entry, each) for each in came):
            yield f"{place}[{at}]: expected {shown(entry)}, got {shown(came)}"


def _whole(place: str, expected: list[Document], came: list[Document]) -> Iterator[str]:
    """The whole list in any order, of each entry the given keys."""
    left = list(came)
    for entry in expected:
        found = next((each for each in left if _given(entry, each)), None)
        if found is not None:
            left.remove(found)
        else:
            yield f"{place}: expected {shown(entry)}, got {shown(came)}"
            return
    if left:
        yield f"{place}: expected {shown(expected)}, got {shown(came)}"


def _indexes(plan: Document, *, kept: bool = False) -> list[int]:
    return [each["serverReplica"] for each in plan["replicas"] if each["kept"] or not kept]


def _memory(place: str, expected: int, plan: Document, _: float) -> Iterator[str]:
    if not plan["replicas"]:
        yield f"{place}: expected at least one replica, got none"
    for each in plan["replicas"]:
        yield from same(place, expected, each["memory_mib"])


def _versions(place: str, expected: Document, status: Document, _: float) -> Iterator[str]:
    came = {str(each["version"]): each["state"] for each in status["versions"]}
    return same(place, {str(version): state for version, state in expected.items()}, came)


STATUS: dict[str, Check] = {
    **{
        key: field(key)
        for key in (
            "state", "reason", "ready", "scheduled", "desired", "replicas", "availableReplicas", "selector",
            "expectedReplicas", "loadedModels",
        )
    },
    "versions": _versions,
}  # fmt: skip

MODEL_PLAN: dict[str, Check] = {
    **{key: field(key) for key in ("verdict", "desired", "minimum", "placed", "server", "scale_up", "version")},
    "replicas": lambda place, expected, plan, _: same_set(place, expected, _indexes(plan)),
    "kept": lambda place, expected, plan, _: same_set(place, expected, _indexes(plan, kept=True)),
    "memory_mib": _memory,
    "removals": lambda place, expected, plan, _: _whole(place, expected, plan["removals"]),
    "rejections": lambda place, expected, plan, _: _found(place, expected, plan["rejections"]),
    "status": lambda place, expected, plan, tolerance: checked(place, expected, plan["status"], STATUS, tolerance),
    "warnings_contain": warnings_contain,
    "warnings_lack": warnings_lack,
}


def _codes(answer: Document) -> set[str]:
    return {each["code"] for each in answer["rejections"]}


def _has_codes(place: str, expected: list[str], answer: Document, _: float) -> Iterator[str]:
    if not set(expected) <= _codes(answer):
        yield f"{place}: expected all of {shown(expected)}, got {shown(_codes(answer))}"


def _lacks_codes(place: str, unwanted: list[str], answer: Document, _: float) -> Iterator[str]:
    if found := set(unwanted) & _codes(answer):
        yield f"{place}: expected none of {shown(unwanted)}, got {shown(found)}"


_WHY_PLACE: dict[str, Check] = {
    "feasible": field("feasible"),
    "codes": _has_codes,
    "not_codes": _lacks_codes,
    "rejections": lambda place, expected, answer, _: _found(place, expected, answer["rejections"]),
}
_WHY_REPLICA: dict[str, Check] = {**_WHY_PLACE, "kept": field("kept"), "free_mib": field("free_mib")}


def _why_replicas(place: str, expected: Document, server: Document, tolerance: float) -> Iterator[str]:
    replicas = {each["serverReplica"]: each for each in server["replicas"]}
    for index, entry in expected.items():
        if int(index) not in replicas:
            yield f"{place}.{index}: expected an answer, got nothing about this replica"
        else:
            yield from checked(f"{place}.{index}", entry, replicas[int(index)], _WHY_REPLICA, tolerance)


_WHY_SERVER: dict[str, Check] = {**_WHY_PLACE, "replicas": _why_replicas}


def _why_servers(place: str, expected: Document, why: Document, tolerance: float) -> Iterator[str]:
    servers = {each["server"]: each for each in why["servers"]}
    for name, entry in expected.items():
        if name not in servers:
            yield f"{place}.{name}: expected an answer, got nothing about this server"
        else:
            yield from checked(f"{place}.{name}", entry, servers[name], _WHY_SERVER, tolerance)


WHY: dict[str, Check] = {"verdict": field("verdict"), "servers": _why_servers}


def _scalings(subject: str) -> Check:
    keys: dict[str, Check] = {key: field(key) for key in ("current", "desired", "action", "reason")}

    def check(place: str, expected: Document, answer: Document, tolerance: float) -> Iterator[str]:
        items = answer["items"] if answer.get("kind") == "ScalingList" else [answer]
        known = {each["workload"]: each for each in items if each["subject"] == subject}
        for name, entry in expected.items():
            yield from checked(f"{place}.{name}", entry, known.get(name, {}), keys, tolerance)

    return check


SCALING: dict[str, Check] = {"models": _scalings("model"), "servers": _scalings("server")}


def compare_servers(expected: Document, cluster: Document) -> list[str]:
    """Servers by name, a part of the native form of each; capabilities in any order."""
    servers = {each["name"]: each for each in cluster.get("servers", [])}
    lines: list[str] = []
    for name, part in expected.items():
        server = servers.get(name, {})
        for key, value in part.items():
            came = server.get(key, ABSENT)
            compare = same_set if key == "capabilities" and came is not ABSENT else same
            lines += compare(f"cluster.{name}.{key}", value, came)
    return lines


def compare_step(place: str, expected: Document, came: Document) -> list[str]:
    """The state after one step."""
    return checked(place, expected, came, _STEP, 0.0)


def _step_models(place: str, expected: Document, step: Document, tolerance: float) -> Iterator[str]:
    for name, entry in expected.items():
        if name not in step["models"]:
            yield f"{place}.{name}: expected a status, got none"
        else:
            yield from checked(f"{place}.{name}", entry, step["models"][name], STATUS, tolerance)


def _step_bookings(place: str, expected: Document, step: Document, _: float) -> Iterable[str]:
    bookings = step["bookings"]
    if not expected:
        return same(place, [], bookings)
    lines: list[str] = []
    for name, places in expected.items():
        model, at, version = name.partition("@")
        own = [each for each in bookings if each["workload"] == model]
        wanted = int(version) if at else max((each["version"] for each in own), default=0)
        found = {
            f"{each['server']}/{each['serverReplica']}": each["state"] for each in own if each["version"] == wanted
        }
        lines += same(f"{place}.{name}", places, found)
    return lines


def _residents(place: str, expected: Document, step: Document, _: float) -> Iterator[str]:
    for where, names in expected.items():
        server, _slash, index = where.rpartition("/")
        found = [
            each["workload"]
            for each in step["bookings"]
            if each["resident"] and (each["server"], each["serverReplica"]) == (server, int(index))
        ]
        yield from same(f"{place}.{where}", sorted(names), sorted(found))


def _served_by(place: str, expected: Any, step: Document, _: float) -> Iterator[str]:
    came = step["served_by"]
    if expected is None or came is None:
        yield from same(place, expected, came)
        return
    known_keys(expected, {"server", "serverReplica", "version"}, f"expect.{place}")
    if not expected:
        raise CaseError(f"expect.{place}: says nothing")
    if not _given(expected, came):
        yield f"{place}: expected {shown(expected)}, got {shown(came)}"


_STEP: dict[str, Check] = {
    "models": _step_models,
    "bookings": _step_bookings,
    "resident": _residents,
    "served": field("served"),
    "served_by": _served_by,
}

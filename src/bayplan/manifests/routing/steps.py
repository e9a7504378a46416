"""Steps: what happens to a router, one thing after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from bayplan.manifests.fields import Fields, Findings
from bayplan.manifests.routing.endpoints import MEDIA, read_endpoint, read_metric_fields
from bayplan.manifests.routing.prompt_tokens import token_ids
from bayplan.manifests.routing.request_form import read_request
from bayplan.manifests.values import count, flag, name, number, text, word_of
from bayplan.routing.endpoints.kv_event import KvEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.manifests.reader import Document

Kind: TypeAlias = Literal[
    "arrive", "first-token", "complete", "abort", "metrics", "endpoint-up", "endpoint-down", "kv", "tick", "shutdown"
]


@dataclass(frozen=True, slots=True)
class Step:
    """One event at a time in seconds.

    `value` is, by kind: a `RequestForm`; the id of a request (complete: with its usage, or None); a mapping of
    endpoints to fields of `EngineMetrics`; Endpoints; the name of one; an endpoint's name and a `KvEvent`; True.
    """

    at_s: float
    kind: Kind
    value: Any


def read_steps(document: Document) -> tuple[list[Step], tuple[str, ...]]:
    """The steps of a list, and warnings. A request without more around it arrives."""
    findings = Findings(document)
    steps: list[Step] = []
    at_s, ids = 0.0, set()
    for place, entry in enumerate(document.data):
        fields = Fields(entry, findings, (place,))
        at_s = _time(fields, at_s)
        step = _step(fields, at_s, place + 1)
        steps.append(step)
        if step.kind == "arrive":
            if step.value.id in ids:
                inside = ("arrive", "id") if "arrive" in fields else ("id",)
                fields.add(f"two requests are called {step.value.id!r}", *inside, next="give each an id of its own")
            ids.add(step.value.id)
    findings.check()
    return steps, tuple(findings.warnings)


def _time(fields: Fields, before_s: float) -> float:
    at_s = fields.read("at", number, before_s)
    if at_s < before_s:
        fields.add(f"{at_s:g} is before {before_s:g}", "at", next="write steps in the order of time")
        return before_s
    return at_s


def _step(fields: Fields, at_s: float, number_of_step: int) -> Step:
    kinds = [kind for kind in _READERS if kind in fields]
    if len(kinds) > 1:
        fields.add(f"{' and '.join(kinds)} are two things", next="write two steps")
    for kind in kinds[:1]:
        fields.ignore(kind, *kinds)
        value = _READERS[kind](fields, number_of_step)
        fields.finish()
        return Step(at_s, kind, value)
    return Step(at_s, "arrive", read_request(fields, number_of_step))


def _arrive(fields: Fields, number_of_step: int) -> Any:
    return read_request(fields.child("arrive"), number_of_step)


def _named(kind: str) -> Callable[[Fields, int], Any]:
    return lambda fields, _: fields.read(kind, name, "?")


def _complete(fields: Fields, _: int) -> tuple[str, tuple[int, int] | None]:
    usage = fields.child("usage")
    tokens = usage.read("promptTokens", count, 0), usage.read("completionTokens", count, 0)
    usage.finish()
    return fields.read("complete", name, "?"), tokens if "usage" in fields else None


def _metrics(fields: Fields, _: int) -> dict[str, dict[str, Any]]:
    found = {}
    for endpoint, each in fields.named("metrics"):
        each.ignore("ageSeconds")
        found[endpoint] = read_metric_fields(each)
        each.finish()
    return found


def _up(fields: Fields, _: int) -> Any:
    return read_endpoint(fields.child("endpoint-up"))


def _kv(fields: Fields, _: int) -> tuple[str, KvEvent]:
    kv = fields.child("kv")
    endpoint = kv.need("endpoint", name, "?")
    event = KvEvent("cleared")
    if kv.read("cleared", flag, default=False):
        pass
    elif "stored" in kv or "removed" in kv:
        kind: Literal["stored", "removed"] = "stored" if "stored" in kv else "removed"
        blocks = kv.child(kind)
        event = KvEvent(
            kind,
            model=blocks.need("model", text, ""),
            token_ids=blocks.need("tokens", token_ids, ()),
            medium=blocks.read("medium", word_of(MEDIA), "gpu"),
        )
        blocks.finish()
    else:
        kv.add("says nothing of blocks", next="write stored, removed or cleared: true")
    kv.finish()
    return endpoint, event


def _true(kind: str) -> Callable[[Fields, int], Any]:
    return lambda fields, _: fields.read(kind, flag, default=True)


_READERS: dict[Kind, Callable[[Fields, int], Any]] = {
    "arrive": _arrive,
    "first-token": _named("first-token"),
    "complete": _complete,
    "abort": _named("abort"),
    "metrics": _metrics,
    "endpoint-up": _up,
    "endpoint-down": _named("endpoint-down"),
    "kv": _kv,
    "tick": _true("tick"),
    "shutdown": _true("shutdown"),
}

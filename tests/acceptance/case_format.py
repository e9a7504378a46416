"""What a case may hold: one kind of question, and only expectations that this question can answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acceptance.case_files import CaseError, known_keys
from acceptance.features import FEATURES

if TYPE_CHECKING:
    from acceptance.case_files import Document

ABOUT = {"id", "seed", "feature", "says", "expect"}

ROUTES = {
    "route", "items", "dispatched", "waiting", "inflight", "bands", "picks", "shares", "statuses", "models",
    "repeatable",
}  # fmt: skip

# kind of question: (keys that must be there, keys that may be, what can be expected)
KINDS: dict[str, tuple[set[str], set[str], set[str]]] = {
    "workloads": ({"workloads", "cluster"}, {"config", "files", "tolerance"}, {"plan", "why", "error", "max_seconds"}),
    "estimate":  ({"estimate"},             {"files"},                        {"estimate", "error"}),
    "manifests": ({"manifests"},            set(),                            {"valid", "errors"}),
    "cluster":   ({"cluster"},              set(),                            {"cluster", "gpus", "error"}),
    "route":     ({"route", "endpoints"},   {"config", "chance", "times"},    ROUTES | {"error", "max_seconds"}),
    "scrape":    ({"scrape"},               {"config"},                       {"metrics", "error", "max_seconds"}),
    "read":      ({"read"},                 set(),                            {"config", "error", "max_seconds"}),
}  # fmt: skip

FORMS: dict[str, tuple[type, ...]] = {
    "id": (str,), "seed": (str,), "feature": (str,), "says": (str,), "expect": (dict,),
    "cluster": (str, dict), "workloads": (list,), "config": (dict, str, type(None)), "files": (dict,),
    "estimate": (dict,),
    "manifests": (list,), "tolerance": (int, float), "route": (dict, list), "endpoints": (dict,), "chance": (int,),
    "times": (int,), "scrape": (dict,), "read": (dict,),
}  # fmt: skip


def kind_of(body: Document) -> str:
    """The kind of question a case asks; refuses a case that the runner would answer only in part."""
    known_keys(body, FORMS, "the case")
    for key, value in body.items():
        _form(f"the case's {key}", value, FORMS[key])
    kind = next((kind for kind in KINDS if kind in body), None)
    if kind is None:
        raise CaseError(f"the case asks nothing: it has none of {', '.join(KINDS)}")
    needed, allowed, expected = KINDS[kind]
    missing = sorted((ABOUT | needed) - body.keys())
    if missing:
        raise CaseError(f"the case has no {missing[0]!r}")
    known_keys(body, ABOUT | needed | allowed, f"a case with {kind!r}")
    known_keys(body["expect"], expected, f"expect of a case with {kind!r}")
    if body["feature"] not in FEATURES:
        raise CaseError(f"unknown feature {body['feature']!r}")
    _expectation(body["expect"])
    return kind


def _expectation(expect: Document) -> None:
    if not expect:
        raise CaseError("expect is empty: nothing would be compared")
    if "error" in expect and expect.keys() - {"error", "max_seconds"}:
        raise CaseError("expect has an error and an answer; a call gives one of them")


def _form(place: str, value: Any, forms: tuple[type, ...]) -> None:
    if not isinstance(value, forms) or isinstance(value, bool):
        names = " or ".join(form.__name__ for form in forms)
        raise CaseError(f"{place} must be {names}, not {type(value).__name__}")

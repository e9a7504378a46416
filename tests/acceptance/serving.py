"""Cases about models on servers: which function a case asks, and what is compared with its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acceptance.case_files import CaseError, known_keys
from acceptance.comparing import compare_validation
from acceptance.comparing_plans import PLAN
from acceptance.comparing_servings import (
    MODEL_PLAN,
    SCALING,
    STATUS,
    WHY,
    compare_servers,
    compare_step,
)
from acceptance.features import FEATURES
from acceptance.matching import checked, same, shown, warnings_contain, warnings_lack

if TYPE_CHECKING:
    from acceptance.case_files import Document
    from acceptance.running import Question

SEED = "004"
_ABOUT = {"id", "seed", "feature", "says"}

# what the case has beside its description: what can be expected
_KINDS: dict[frozenset[str], set[str]] = {
    frozenset({"workloads", "cluster"}): {"plan", "why", "status", "cluster", "error"},
    frozenset({"workloads", "cluster", "signals"}): {"scaling", "error"},
    frozenset({"cluster"}): {"cluster", "warnings_contain"},
    frozenset({"cluster", "steps"}): {"error"},
    frozenset({"manifests"}): {"valid", "errors", "warnings_contain", "warnings_lack"},
}


def check_serving(body: Document) -> None:
    """Refuse a case that would be answered only in part."""
    if body.get("feature") not in FEATURES:
        raise CaseError(f"unknown feature {body.get('feature')!r}")
    asked = frozenset(body.keys() - _ABOUT - {"expect"})
    if asked not in _KINDS:
        raise CaseError(f"the case asks nothing that is known: it has {', '.join(sorted(asked)) or 'nothing'}")
    known_keys(body.get("expect", {}), _KINDS[asked], "expect")
    for at, step in enumerate(body.get("steps", ())):
        known_keys(step, {"do", "expect"}, f"steps[{at}]")
    if not body.get("expect") and not any("expect" in step for step in body.get("steps", ())):
        raise CaseError("expect is empty: nothing would be compared")


def ask_serving(question: Question) -> list[str]:
    """One line for each expectation that does not hold."""
    body, expect = question.body, question.body.get("expect", {})
    if "manifests" in body:
        return _validated(expect, question.ask("validate", body["manifests"]))
    cluster, lines = _cluster(question)
    if "steps" in body:
        return _rehearsed(question, cluster)
    documents = body.get("workloads")
    if "signals" in body:
        answer = question.ask("scale", documents, cluster=cluster, signals=body["signals"])
        return _accepted(expect) or checked("scaling", expect["scaling"], answer, SCALING, 0.0)
    if expect.keys() & {"plan", "error"}:
        answer = question.ask("plan", documents, cluster)
        lines += _accepted(expect) or _plans(expect["plan"], answer)
    if "why" in expect:
        lines += checked("why", expect["why"], question.ask("why", documents, cluster), WHY, 0.0)
    if "status" in expect:
        lines += _statuses(expect["status"], question.ask("status", documents, cluster))
    return lines


def _cluster(question: Question) -> tuple[Document, list[str]]:
    """A native body as it is; Server documents through the library, with the case's bookings added."""
    body, expect = question.body["cluster"], question.body.get("expect", {})
    if "nodes" not in body:
        return body, []
    known_keys(body, {"nodes", "bookings"}, "a cluster with nodes")
    native = question.ask("read_cluster", body["nodes"])
    lines = compare_servers(expect["cluster"], native) if "cluster" in expect else []
    if "warnings_contain" in expect:
        lines += warnings_contain("warnings_contain", expect["warnings_contain"], native, 0.0)
    return {**native, "bookings": [*native["bookings"], *body.get("bookings", [])]}, lines


def _plans(expected: list[Document], answer: Document) -> list[str]:
    plans = answer["items"] if answer.get("kind") == "PlanList" else [answer]
    lines = list(same("the number of plans", len(expected), len(plans)))
    for at, (entry, plan) in enumerate(zip(expected, plans, strict=False)):
        checks = MODEL_PLAN if plan.get("scheduler") == "serving" else PLAN
        lines += checked(f"plan[{at}]", entry, plan, checks, 0.0)
    return lines


def _statuses(expected: Any, answer: Document) -> list[str]:
    """One map is compared with a Status, a list with the items of a StatusList."""
    if isinstance(expected, dict):
        return checked("status", expected, answer, STATUS, 0.0)
    items = answer.get("items") or []
    lines = list(same("the number of statuses", len(expected), len(items)))
    for at, (entry, item) in enumerate(zip(expected, items, strict=False)):
        lines += checked(f"status[{at}]", entry, item, STATUS, 0.0)
    return lines


def _rehearsed(question: Question, cluster: Document) -> list[str]:
    body = question.body
    answer = question.ask("rehearse", [step["do"] for step in body["steps"]], cluster)
    if "error" in body.get("expect", {}):
        return _accepted(body["expect"])
    lines = list(same("the number of steps", len(body["steps"]), len(answer["steps"])))
    for at, (step, came) in enumerate(zip(body["steps"], answer["steps"], strict=False)):
        lines += compare_step(f"steps[{at}]", step["expect"], came) if "expect" in step else []
    return lines


def _validated(expect: Document, answer: Document) -> list[str]:
    texts = expect.keys() & {"warnings_contain", "warnings_lack"}
    lines = compare_validation({key: value for key, value in expect.items() if key not in texts}, answer)
    if "warnings_contain" in expect:
        lines += warnings_contain("warnings_contain", expect["warnings_contain"], answer, 0.0)
    if "warnings_lack" in expect:
        lines += warnings_lack("warnings_lack", expect["warnings_lack"], answer, 0.0)
    return lines


def _accepted(expect: Document) -> list[str]:
    return [f"error: expected an input error with {shown(expect['error'])}, got an answer"] if "error" in expect else []

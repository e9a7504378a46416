"""Asks the library what a case asks, and hands the answer to the comparison."""

from __future__ import annotations

import json
import time
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from acceptance.case_files import Case, CaseError, known_keys
from acceptance.case_format import kind_of
from acceptance.comparing import (
    compare_cluster,
    compare_error,
    compare_estimate,
    compare_gpus,
    compare_plan,
    compare_seconds,
    compare_validation,
    compare_why,
)
from acceptance.comparing_configs import compare_config, compare_metrics
from acceptance.comparing_routes import compare_repeated, compare_routes
from acceptance.model_files import write_files
from acceptance.real_models import compare_model
from acceptance.serving import SEED as SERVING, ask_serving, check_serving
from acceptance.token_ranges import with_ranges
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from acceptance.case_files import Document

TOLERANCE = 1e-4
_FOLDER = "${files}"
_SHOWN = 1500


@dataclass
class Question:
    """A case whose files are written, and whom to ask; `seconds` and `answers` are what the calls took and gave."""

    library: Any
    body: Document
    clusters: Document
    configs: Document = field(default_factory=dict)
    seconds: float = 0.0
    answers: list[str] = field(default_factory=list)

    @property
    def expect(self) -> Document:
        return self.body["expect"]

    def ask(self, name: str, *arguments: Any, **options: Any) -> Document:
        """The answer as JSON would carry it; the arguments are copies, for cases share the clusters of their file."""
        function = getattr(self.library, name)
        arguments, options = deepcopy((arguments, options))
        began = time.perf_counter()
        try:
            answer = function(*arguments, **options)
        finally:
            self.seconds = time.perf_counter() - began
        text = json.dumps(answer, allow_nan=False)
        self.answers.append(f"{name} answered: {text[:_SHOWN]}{'…' * (len(text) > _SHOWN)}")
        return json.loads(text)


def mismatches(case: Case, folder: Path, library: Any) -> list[str]:
    """One line for each expectation that does not hold, then what was answered; nothing where all holds.

    `folder` is empty and takes the case's files.
    """
    if case.problem:
        raise CaseError(case.problem)
    if "checks" in case.body:
        return _published(case, folder, library)
    serving = case.body.get("seed") == SERVING
    kind = check_serving(case.body) if serving else kind_of(case.body)
    question = Question(library, substituted(case.body, str(folder)), case.clusters, case.configs)
    write_files(question.body.get("files", {}), folder)
    try:
        lines = ask_serving(question) if kind is None else _ASK[kind](question)
    except InputError as error:
        lines = _refused(question, error)
    return [*lines, *question.answers] if lines else []


def _published(case: Case, folder: Path, library: Any) -> list[str]:
    """A published model: its files are written once, each check is one call."""
    question = Question(library, case.body, case.clusters)
    write_files(case.body["files"], folder)
    try:
        return compare_model(case.body, str(folder), lambda **options: question.ask("estimate", **options))
    except InputError as error:
        return [f"expected an answer, got the error: {error}"]


def substituted(value: Any, folder: str) -> Any:
    """A copy with the path of the folder where the case says ${files}."""
    if isinstance(value, str):
        return value.replace(_FOLDER, folder)
    if isinstance(value, list):
        return [substituted(entry, folder) for entry in value]
    if isinstance(value, dict):
        return {substituted(key, folder): substituted(entry, folder) for key, entry in value.items()}
    return value


def _placement(question: Question) -> list[str]:
    body, expect = question.body, question.expect
    arguments = (body["workloads"], _read(question, _named(question)))
    options = {"config": body["config"]} if "config" in body else {}
    tolerance = body.get("tolerance", TOLERANCE)
    lines: list[str] = []
    if expect.keys() & {"plan", "error", "max_seconds"}:
        answer = question.ask("plan", *arguments, **options)
        lines += _accepted(expect) + _in_time(question)
        lines += compare_plan(expect["plan"], answer, tolerance) if "plan" in expect else []
    if "why" in expect:
        answer = question.ask("why", *arguments, **options)
        lines += compare_why(expect["why"], answer, tolerance)
    return lines


def _sizing(question: Question) -> list[str]:
    expect = question.expect
    answer = question.ask("estimate", **question.body["estimate"])
    return _accepted(expect) or compare_estimate(expect["estimate"], answer)


def _validation(question: Question) -> list[str]:
    return compare_validation(question.expect, question.ask("validate", question.body["manifests"]))


def _inventory(question: Question) -> list[str]:
    body = _named(question)
    if "gpus" in question.expect:
        return compare_gpus(question.expect["gpus"], question.ask("gpus", _read(question, body)), TOLERANCE)
    if "nodes" not in body:
        raise CaseError("a case that reads a cluster needs `nodes` in it")
    answer = _read(question, body)
    return _accepted(question.expect) or compare_cluster(question.expect["cluster"], answer)


def _routing(question: Question) -> list[str]:
    """One call, or several with seeds from 0 on; a case that asks for it is asked once more in the same way."""
    body, expect = question.body, question.expect
    arguments, config = (with_ranges(body["route"]), with_ranges(body["endpoints"])), _config(question)
    seeds = range(body["times"]) if "times" in body else [body.get("chance", 0)]
    answers = [question.ask("route", *arguments, config=config, seed=seed) for seed in seeds]
    lines = _accepted(expect) + _in_time(question)
    if expect.get("repeatable"):
        again = [question.ask("route", *arguments, config=config, seed=seed) for seed in seeds]
        lines += compare_repeated(answers, again)
    return lines + compare_routes(expect, answers, TOLERANCE)


def _scraping(question: Question) -> list[str]:
    asked = question.body["scrape"]
    known_keys(asked, {"text", "engine", "padding"}, "scrape")
    padding = "".join(f'noise{{n="{number}"}} 1\n' for number in range(asked.get("padding", 0)))
    options = {"engine": asked["engine"]} if "engine" in asked else {}
    answer = question.ask("scrape", padding + asked["text"], config=_config(question), **options)
    lines = _accepted(question.expect) + _in_time(question)
    return lines or compare_metrics(question.expect["metrics"], answer, TOLERANCE)


def _reading(question: Question) -> list[str]:
    answer = question.ask("read_config", question.body["read"])
    lines = _accepted(question.expect) + _in_time(question)
    return lines or compare_config(question.expect["config"], answer, TOLERANCE)


_ASK: dict[str, Callable[[Question], list[str]]] = {
    "workloads": _placement,
    "estimate": _sizing,
    "manifests": _validation,
    "cluster": _inventory,
    "route": _routing,
    "scrape": _scraping,
    "read": _reading,
}


def _config(question: Question) -> Any:
    named = question.body.get("config")
    if isinstance(named, str) and named not in question.configs:
        raise CaseError(f"the file has no config {named!r}; it has {', '.join(question.configs) or 'none'}")
    return question.configs[named] if isinstance(named, str) else named


def _named(question: Question) -> Document:
    named, clusters = question.body["cluster"], question.clusters
    if isinstance(named, str) and named not in clusters:
        raise CaseError(f"the file has no cluster {named!r}; it has {', '.join(clusters) or 'none'}")
    return clusters[named] if isinstance(named, str) else named


def _read(question: Question, body: Document) -> Document:
    """A native body as it is; Kubernetes documents through the library, with the case's bookings added."""
    if "nodes" not in body:
        return body
    known_keys(body, {"nodes", "bookings"}, "a cluster with nodes")
    native = question.ask("read_cluster", body["nodes"])
    return {**native, "bookings": [*native.get("bookings", []), *body.get("bookings", [])]}


def _accepted(expect: Document) -> list[str]:
    if "error" not in expect:
        return []
    return [f"error: expected an input error with {json.dumps(expect['error'])}, got an answer"]


def _refused(question: Question, error: InputError) -> list[str]:
    if "error" not in question.expect:
        return [f"expected an answer, got the error: {error}"]
    return compare_error(question.expect["error"], error.place) + _in_time(question)


def _in_time(question: Question) -> list[str]:
    return compare_seconds(question.expect["max_seconds"], question.seconds) if "max_seconds" in question.expect else []

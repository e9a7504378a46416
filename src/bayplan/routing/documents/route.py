"""The Route document: what became of one request, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bayplan.framework.evaluation.explanation import Explanation, Term
    from bayplan.framework.outcome import RunResult
    from bayplan.routing.answer import Answer
    from bayplan.routing.endpoints.prefix_match import PrefixMatch
    from bayplan.routing.requests.routed_request import RoutedRequest


def route_document(answer: Answer, warnings: Iterable[str] = ()) -> dict[str, Any]:
    """The document of an answer; `warnings` are those of the configuration.

    Its tables list every endpoint of the pool where the request was marked `explained`, else the picked ones alone.
    """
    runs = {} if answer.outcome is None else answer.outcome.results
    profiles = {name: _profile(run, answer.prefixes) for name, run in runs.items()}
    primary = profiles.get(answer.profile or "")
    return {
        **_head(answer.request),
        "status": answer.status,
        "code": answer.code,
        "reason": answer.reason,
        "message": answer.message or _picked_text(answer),
        **_facts(answer.request),
        "profile": answer.profile,
        "saturation": answer.saturation,
        "picked": [{"endpoint": each.name, "address": each.address} for each in answer.picked],
        "headers": dict(answer.headers),
        "response_headers": dict(answer.response_headers),
        "profiles": profiles,
        "endpoints": [] if primary is None else primary["endpoints"],
        "warnings": [*warnings, *answer.request.warnings, *answer.warnings],
    }


def waiting_document(request: RoutedRequest, saturation: float, warnings: Iterable[str] = ()) -> dict[str, Any]:
    """The document of a request that still waits: it has no status yet."""
    return {
        **_head(request),
        "status": None,
        "code": None,
        "reason": None,
        "message": "waits for room",
        **_facts(request),
        "profile": None,
        "saturation": saturation,
        "picked": [],
        "headers": {},
        "response_headers": {},
        "profiles": {},
        "endpoints": [],
        "warnings": [*warnings, *request.warnings],
    }


def _head(request: RoutedRequest) -> dict[str, Any]:
    return {"kind": "Route", "request": request.id}


def _facts(request: RoutedRequest) -> dict[str, Any]:
    return {
        "model": request.model,
        "priority": request.priority,
        "fairness_id": request.fairness_id,
        "parser": request.parser or None,
        "prompt_tokens": request.prompt_tokens,
    }


def _picked_text(answer: Answer) -> str:
    names = [endpoint.name for endpoint in answer.picked]
    if answer.profile is None:
        return f"sent to {names[0]}, a ready endpoint: without a body no profile runs"
    fallbacks = f"; fallbacks: {', '.join(names[1:])}" if names[1:] else ""
    return f"profile {answer.profile} picked {names[0]}{fallbacks}"


def _profile(run: RunResult, prefixes: Mapping[str, PrefixMatch] | None) -> dict[str, Any]:
    rows = _picked_rows(run) if run.explanation is None else _rows(run.explanation)
    for row in rows:
        row["prefix"] = _prefix(None if prefixes is None else prefixes.get(row["endpoint"]))
    return {"failed": not run.ok, "picked": [{"endpoint": pick.key} for pick in run.picked], "endpoints": rows}


def _rows(explanation: Explanation) -> list[dict[str, Any]]:
    """Every endpoint of the pool."""
    rejections = explanation.rejections()
    ranked = {each.row: each for each in explanation.ranked()}
    rows = []
    for number, name in enumerate(explanation.keys):
        found = ranked.get(number)
        rows.append(
            {
                "endpoint": name,
                "kept": found is not None,
                "rejections": [
                    {"code": each.code, "plugin": each.filter, "message": each.message}
                    for each in rejections.get(number, ())
                ],
                "total": None if found is None else found.total,
                "terms": [] if found is None else _terms(found.terms),
            }
        )
    return rows


def _picked_rows(run: RunResult) -> list[dict[str, Any]]:
    return [
        {"endpoint": pick.key, "kept": True, "rejections": [], "total": pick.total, "terms": _terms(pick.terms)}
        for pick in run.picked
    ]


def _terms(terms: Sequence[Term]) -> list[dict[str, Any]]:
    return [
        {"plugin": term.scorer, "weight": term.weight, "score": term.score, "note": term.note}
        if term.note
        else {"plugin": term.scorer, "weight": term.weight, "score": term.score}
        for term in terms
    ]


def _prefix(match: PrefixMatch | None) -> dict[str, Any] | None:
    if match is None:
        return None
    return {
        "matched_blocks": match.matched_blocks,
        "total_blocks": match.total_blocks,
        "block_size": match.block_size,
    }

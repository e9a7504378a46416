"""A Route for people: where the request goes, what each scorer gave, and which endpoints were refused by what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cli.output import Part, Sheet, Title
from bayplan.cli.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cli.output import Style

_OK = 200


def route_parts(route: dict[str, Any]) -> Iterator[Part]:
    """What to print of one answer, in order."""
    yield Title(one_line(_headline(route)), _style(route))
    yield one_line(_facts(route))
    for name, profile in route["profiles"].items():
        yield from ("", Title(_profile_line(name, profile, route)))
        yield from _tables(profile["endpoints"])
    headers = {**route["headers"], **{f"{name} (response)": v for name, v in route["response_headers"].items()}}
    if headers:
        yield from ("", Sheet(("HEADER", "VALUE"), [(one_line(name), one_line(v)) for name, v in headers.items()]))


def list_parts(routes: dict[str, Any], *, wide: bool) -> Iterator[Part]:
    """What to print of several: a line each, with -o wide everything about each, then the state of the pool."""
    if wide:
        for item in routes["items"]:
            yield from route_parts(item)
            yield ""
    else:
        yield Sheet(
            ("REQUEST", "STATUS", "ENDPOINT", "WHY"), [_line(item) for item in routes["items"]], sentences=("WHY",)
        )
        yield ""
    rows = [
        (one_line(name), str(each["requests"]), _number(each["tokens"])) for name, each in routes["inflight"].items()
    ]
    yield Sheet(("ENDPOINT", "IN FLIGHT", "TOKENS"), rows)
    if routes["bands"]:
        bands = [(str(each["priority"]), _number(each["ceiling"]), str(each["waiting"])) for each in routes["bands"]]
        yield from ("", Sheet(("PRIORITY", "CEILING", "WAITING"), bands))
    counts = f"{len(routes['dispatched'])} dispatched, {len(routes['waiting'])} waiting"
    yield from ("", f"{counts}, saturation {_number(routes['saturation'])}")


def _headline(route: dict[str, Any]) -> str:
    if route["status"] is None:
        return f"{route['request']}: waits"
    reason = f" ({route['reason']})" if route["reason"] else ""
    return f"{route['request']}: {route['status']} {route['code']}{reason}: {route['message']}"


def _style(route: dict[str, Any]) -> Style:
    if route["status"] is None:
        return "doubtful"
    return "good" if route["status"] == _OK else "bad"


def _facts(route: dict[str, Any]) -> str:
    parser = f", read by {route['parser']}" if route["parser"] else ""
    saturation = "" if route["saturation"] is None else f"; saturation {_number(route['saturation'])}"
    return (
        f"model {route['model'] or '-'}, priority {route['priority']}, flow {route['fairness_id']}, "
        f"{route['prompt_tokens']} prompt tokens{parser}{saturation}"
    )


def _profile_line(name: str, profile: dict[str, Any], route: dict[str, Any]) -> str:
    primary = " (primary)" if name == route["profile"] and len(route["profiles"]) > 1 else ""
    picked = ", ".join(each["endpoint"] for each in profile["picked"])
    return one_line(f"Profile {name}{primary}: " + (f"picked {picked}" if picked else "nothing is left to pick"))


def _tables(rows: list[dict[str, Any]]) -> Iterator[Part]:
    kept = sorted((row for row in rows if row["kept"]), key=lambda row: -row["total"])
    refused = [row for row in rows if not row["kept"]]
    if kept:
        lines = [
            (one_line(row["endpoint"]), _number(row["total"]), _made_of(row["terms"]), _prefix(row["prefix"]))
            for row in kept
        ]
        yield Sheet(("ENDPOINT", "TOTAL", "MADE OF", "CACHED BLOCKS"), lines, sentences=("MADE OF",))
    if refused:
        yield ""
        reasons = [(one_line(row["endpoint"]), _refusals(row["rejections"])) for row in refused]
        yield Sheet(("REFUSED", "BY"), reasons, sentences=("BY",))


def _made_of(terms: list[dict[str, Any]]) -> str:
    """`2 x queue-scorer 0.5 + prefix-cache-scorer 1`: weight, scorer, score."""
    return one_line(" + ".join(_term(term) for term in terms)) or "-"


def _term(term: dict[str, Any]) -> str:
    weight = "" if term["weight"] == 1 else f"{_number(term['weight'])} x "
    note = f" ({term['note']})" if term.get("note") else ""
    return f"{weight}{term['plugin']} {_number(term['score'])}{note}"


def _prefix(prefix: dict[str, Any] | None) -> str:
    return "-" if prefix is None else f"{_number(prefix['matched_blocks'])} of {prefix['total_blocks']}"


def _refusals(rejections: list[dict[str, Any]]) -> str:
    return one_line("; ".join(f"{each['plugin']}: {each['message']} ({each['code']})" for each in rejections)) or "-"


def _line(route: dict[str, Any]) -> tuple[str, ...]:
    picked = ", ".join(each["endpoint"] for each in route["picked"])
    status = "waits" if route["status"] is None else str(route["status"])
    why = "-" if route["status"] in (None, _OK) else f"{route['reason'] or route['code']}: {route['message']}"
    return one_line(route["request"]), status, one_line(picked) or "-", one_line(why)


def _number(value: float) -> str:
    return f"{value:.4g}"

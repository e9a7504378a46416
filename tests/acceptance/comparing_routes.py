"""Expectations of routing against Route and RouteList: one line a mismatch, nothing where all holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acceptance.case_files import CaseError, known_keys
from acceptance.matching import ABSENT, checked, field, near, same, same_set, shown, warnings_contain, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from acceptance.case_files import Document
    from acceptance.matching import Check


def compare_routes(expect: Document, answers: list[Document], tolerance: float) -> list[str]:
    """`route` holds for every answer; shares are of all of them; everything else is about one RouteList."""
    lines: list[str] = []
    for key, value in expect.items():
        if key == "route":
            lines += [line for answer in answers for line in checked("route", value, answer, ROUTE, tolerance)]
        elif key in SHARES:
            lines += _shares(key, value, [SHARES[key](answer) for answer in answers])
        elif key in LIST:
            lines += [line for answer in answers for line in LIST[key](key, value, answer, tolerance)]
    return lines


def compare_repeated(first: list[Document], second: list[Document]) -> list[str]:
    """Equal calls pick alike."""
    lines = []
    for one, other in zip(first, second, strict=True):
        lines += list(same("repeatable", _all_picked(one), _all_picked(other)))
    return lines


def _all_picked(answer: Document) -> list[list[str]]:
    items = answer["items"] if answer["kind"] == "RouteList" else [answer]
    return [_names(item["picked"]) for item in items]


def _names(picked: Iterable[Document]) -> list[str]:
    return [each["endpoint"] for each in picked]


def _first(answer: Document) -> str | None:
    return next(iter(_names(answer["picked"])), None)


def _shares(place: str, expected: Document, came: list[Any]) -> Iterator[str]:
    for value, bounds in expected.items():
        yield from within(f"{place}.{value}", bounds, came.count(value) / len(came))


SHARES: dict[str, Callable[[Document], Any]] = {
    "shares": _first,
    "statuses": lambda answer: answer["status"],
    "models": lambda answer: answer["model"],
}


def _picked(place: str, expected: list[str], answer: Document, _: float) -> Iterator[str]:
    return same(place, expected, _names(answer["picked"]))


def _picked_any_of(place: str, expected: list[list[str]], answer: Document, _: float) -> Iterator[str]:
    if _names(answer["picked"]) not in expected:
        yield f"{place}: expected one of {shown(expected)}, got {shown(_names(answer['picked']))}"


def _addresses(place: str, expected: list[str], answer: Document, _: float) -> Iterator[str]:
    return same(place, expected, [each["address"] for each in answer["picked"]])


def _headers(name: str) -> Check:
    def check(place: str, expected: Document, answer: Document, _: float) -> Iterator[str]:
        for header, value in expected.items():
            yield from same(f"{place}.{header}", str(value), answer[name].get(header, ABSENT))

    return check


def _headers_absent(place: str, unwanted: list[str], answer: Document, _: float) -> Iterator[str]:
    for header in unwanted:
        for name in ("headers", "response_headers"):
            if header in answer[name]:
                yield f"{place}: expected no {header!r}, got {shown(answer[name][header])}"


def _kept(place: str, expected: list[str], answer: Document, _: float) -> Iterator[str]:
    return same_set(place, expected, [row["endpoint"] for row in answer["endpoints"] if row["kept"]])


def _rows(answer: Document) -> dict[str, Document]:
    return {row["endpoint"]: row for row in answer["endpoints"]}


def _rejected(place: str, expected: Document, answer: Document, _: float) -> Iterator[str]:
    rows = _rows(answer)
    for name, code in expected.items():
        codes = [each["code"] for each in rows.get(name, {"rejections": []})["rejections"]]
        if code not in codes:
            yield f"{place}.{name}: expected {code!r} among its codes, got {shown(codes)}"


def _scores(place: str, expected: Document, answer: Document, tolerance: float) -> Iterator[str]:
    rows = _rows(answer)
    for plugin, scores in expected.items():
        for name, score in scores.items():
            terms = {term["plugin"]: term["score"] for term in rows.get(name, {"terms": []})["terms"]}
            yield from near(f"{place}.{plugin}.{name}", score, terms.get(plugin, ABSENT), tolerance)


def _totals(place: str, expected: Document, answer: Document, tolerance: float) -> Iterator[str]:
    rows = _rows(answer)
    for name, total in expected.items():
        yield from near(f"{place}.{name}", total, rows.get(name, {}).get("total", ABSENT), tolerance)


def _prefix(place: str, expected: Document, answer: Document, tolerance: float) -> Iterator[str]:
    rows = _rows(answer)
    for name, blocks in expected.items():
        came = rows.get(name, {}).get("prefix") or {}
        for key, number in zip(("matched_blocks", "total_blocks"), blocks, strict=True):
            yield from near(f"{place}.{name}.{key}", number, came.get(key, ABSENT), tolerance)


def _profiles(place: str, expected: Document, answer: Document, tolerance: float) -> Iterator[str]:
    for name, body in expected.items():
        came = answer["profiles"].get(name)
        if body is None or came is None:
            yield from same(f"{place}.{name}", body, came)
        else:
            yield from checked(f"{place}.{name}", body, came, PROFILE, tolerance)


def _saturation(place: str, expected: float | None, answer: Document, tolerance: float) -> Iterator[str]:
    came = answer.get("saturation", ABSENT)
    return same(place, None, came) if expected is None else near(place, expected, came, tolerance)


PROFILE: dict[str, Check] = {
    "failed": field("failed"),
    "picked": _picked,
    "picked_any_of": _picked_any_of,
    "kept": _kept,
    "rejected": _rejected,
    "scores": _scores,
    "totals": _totals,
}

ROUTE: dict[str, Check] = {
    **{
        name: field(name)
        for name in (
            "status",
            "code",
            "reason",
            "model",
            "priority",
            "fairness_id",
            "parser",
            "prompt_tokens",
            "profile",
        )
    },
    **{key: check for key, check in PROFILE.items() if key != "failed"},
    "saturation": _saturation,
    "addresses": _addresses,
    "headers": _headers("headers"),
    "response_headers": _headers("response_headers"),
    "headers_absent": _headers_absent,
    "prefix": _prefix,
    "profiles": _profiles,
    "warnings_contain": warnings_contain,
}


def _items(place: str, expected: Document, answer: Document, tolerance: float) -> Iterator[str]:
    items = {item["request"]: item for item in answer["items"]}
    for name, body in expected.items():
        if name not in items:
            yield f"{place}.{name}: expected an answer, got nothing about this request"
        else:
            yield from checked(f"{place}.{name}", body, items[name], ROUTE, tolerance)


def _waiting(place: str, expected: list[str], answer: Document, _: float) -> Iterator[str]:
    return same_set(place, expected, answer["waiting"])


def _inflight(place: str, expected: Document, answer: Document, tolerance: float) -> Iterator[str]:
    for name, numbers in expected.items():
        known_keys(numbers, {"requests", "tokens"}, f"expect.{place}.{name}")
        for key, number in numbers.items():
            came = answer["inflight"].get(name, {}).get(key, ABSENT)
            yield from near(f"{place}.{name}.{key}", number, came, tolerance)


def _bands(place: str, expected: Document, answer: Document, tolerance: float) -> Iterator[str]:
    ceilings = {band["priority"]: band["ceiling"] for band in answer["bands"]}
    for priority, ceiling in expected.items():
        yield from near(f"{place}.{priority}", ceiling, ceilings.get(priority, ABSENT), tolerance)


def _picks(place: str, expected: Document, answer: Document, _: float) -> Iterator[str]:
    firsts = [_first(item) for item in answer["items"]]
    for name, bounds in expected.items():
        yield from within(f"{place}.{name}", bounds, firsts.count(name))


def _as_asked(place: str, expected: Any, answer: Document, _: float) -> Iterator[str]:
    """`repeatable: true` is answered by asking twice, which the caller does."""
    if expected is not True:
        raise CaseError(f"expect.{place}: must be true")
    return iter(())


LIST: dict[str, Check] = {
    "items": _items,
    "dispatched": field("dispatched"),
    "waiting": _waiting,
    "inflight": _inflight,
    "bands": _bands,
    "picks": _picks,
    "repeatable": _as_asked,
}

"""Expectations of configurations and metrics against what `read_config` and `scrape` answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acceptance.matching import ABSENT, checked, is_number, near, none_of, same, same_set, shown, warnings_contain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from acceptance.case_files import Document
    from acceptance.matching import Check


def compare_metrics(expected: Document, answer: Document, tolerance: float) -> list[str]:
    return checked("metrics", expected, answer, METRICS, tolerance)


def compare_config(expected: Document, answer: Document, tolerance: float) -> list[str]:
    return checked("config", expected, answer, CONFIG, tolerance)


def _values(name: str) -> Check:
    """These fields of a mapping; numbers within the tolerance, lists as sets."""

    def check(place: str, expected: Document, answer: Document, tolerance: float) -> Iterator[str]:
        for key, value in expected.items():
            came = (answer.get(name) or {}).get(key, ABSENT)
            if is_number(value):
                yield from near(f"{place}.{key}", value, came, tolerance)
            elif isinstance(value, list) and isinstance(came, list):
                yield from same_set(f"{place}.{key}", value, came)
            else:
                yield from same(f"{place}.{key}", value, came)

    return check


METRICS: dict[str, Check] = {
    "metrics": _values("metrics"),
    "loras": _values("loras"),
    "attributes": _values("attributes"),
    "warnings_contain": warnings_contain,
}


def _plugins(config: Document) -> dict[str, Document]:
    return {plugin["name"]: plugin for plugin in config["plugins"]}


def _profiles(config: Document) -> Document:
    return {
        profile["name"]: {entry["pluginRef"]: entry.get("weight") for entry in profile["plugins"]}
        for profile in config["schedulingProfiles"]
    }


def _sources(config: Document) -> Document:
    return {
        source["pluginRef"]: [each["pluginRef"] for each in source["extractors"]]
        for source in config["dataLayer"]["sources"]
    }


def _handler(config: Document) -> str:
    handler: str = _plugins(config)[config["profileHandler"]["pluginRef"]]["type"]
    return handler


def _parsers(config: Document) -> list[str]:
    return [each["pluginRef"] for each in config["requestHandler"]["parsers"]]


def _whole(part: Callable[[Document], Any]) -> Check:
    return lambda place, expected, answer, _: same(place, expected, part(answer))


def _contain(place: str, expected: list[str], answer: Document, _: float) -> Iterator[str]:
    missing = set(expected) - _plugins(answer).keys()
    if missing:
        yield f"{place}: expected all of {shown(expected)}, got none of {shown(missing)}"


def _absent(place: str, unwanted: list[str], answer: Document, _: float) -> Iterator[str]:
    return none_of(place, unwanted, _plugins(answer))


def _types(place: str, expected: Document, answer: Document, _: float) -> Iterator[str]:
    for name, kind in expected.items():
        yield from same(f"{place}.{name}", kind, _plugins(answer).get(name, {}).get("type", ABSENT))


def _parameters(place: str, expected: Document, answer: Document, tolerance: float) -> Iterator[str]:
    for name, values in expected.items():
        yield from _inside(f"{place}.{name}", values, _plugins(answer).get(name, {}).get("parameters"), tolerance)


def _flow_control(place: str, expected: Document, answer: Document, tolerance: float) -> Iterator[str]:
    return _inside(place, expected, answer.get("flowControl"), tolerance)


def _inside(place: str, expected: Any, came: Any, tolerance: float) -> Iterator[str]:
    """What is expected is found in what came; lists are compared entry by entry."""
    if isinstance(expected, dict) and isinstance(came, dict):
        for key, value in expected.items():
            yield from _inside(f"{place}.{key}", value, came.get(key, ABSENT), tolerance)
    elif isinstance(expected, list) and isinstance(came, list) and len(expected) == len(came):
        for at, (one, other) in enumerate(zip(expected, came, strict=True)):
            yield from _inside(f"{place}[{at}]", one, other, tolerance)
    elif is_number(expected):
        yield from near(place, expected, came, tolerance)
    else:
        yield from same(place, expected, came)


CONFIG: dict[str, Check] = {
    "profiles": _whole(_profiles),
    "sources": _whole(_sources),
    "handler": _whole(_handler),
    "parsers": _whole(_parsers),
    "plugins_contain": _contain,
    "plugins_absent": _absent,
    "types": _types,
    "parameters": _parameters,
    "gates": _values("featureGates"),
    "flowControl": _flow_control,
    "warnings_contain": warnings_contain,
}

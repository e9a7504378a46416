"""Which objects a list or a watch asks for: label and field selectors in the text form of Kubernetes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.cluster.selector import Operator, Requirement, Selector
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# `key in (a, b)` and `key notin (a, b)`; commas inside the brackets do not separate requirements
_SET = re.compile(r"(?P<key>[^\s,()=!<>]+)\s+(?P<word>in|notin)\s*\((?P<values>[^()]*)\)\s*")
_COMPARED = re.compile(r"(?P<key>[^\s,()=!<>]+)\s*(?P<word>==|=|!=|>|<)\s*(?P<value>[^\s,()=!<>]*)\s*")
_PRESENT = re.compile(r"(?P<not>!?)\s*(?P<key>[^\s,()=!<>]+)\s*")
_WORDS = {"in": Operator.IN, "notin": Operator.NOT_IN, "=": Operator.IN, "==": Operator.IN, "!=": Operator.NOT_IN}
_WORDS |= {">": Operator.GT, "<": Operator.LT}


_EVERY = Selector()


@dataclass(frozen=True, slots=True)
class FieldTerm:
    """`path=value` or `path!=value` on a field of the object; a missing field counts as empty text."""

    path: str
    value: str
    equal: bool = True

    def holds(self, document: Mapping[str, Any]) -> bool:
        return (field_text(document, self.path) == self.value) is self.equal


@dataclass(frozen=True, slots=True)
class Selection:
    """Labels and fields together: an object is chosen if both match."""

    labels: Selector = _EVERY
    fields: tuple[FieldTerm, ...] = ()

    def __bool__(self) -> bool:
        """Whether it excludes anything at all."""
        return bool(self.labels.requirements or self.fields)

    def matches(self, document: Mapping[str, Any]) -> bool:
        labels = document.get("metadata", {}).get("labels") or {}
        return self.labels.matches(labels) and all(each.holds(document) for each in self.fields)


def field_text(document: Mapping[str, Any], path: str) -> str:
    """The text of a field such as `spec.nodeName`; empty where it is missing."""
    value: Any = document
    for step in path.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def parse_labels(text: str) -> Selector:
    """`a=b,c in (d, e),!f,g` as a selector."""
    return Selector(tuple(_requirements(text)))


def _requirements(text: str) -> Iterator[Requirement]:
    at = len(text) - len(text.lstrip())
    while at < len(text):
        found = _SET.match(text, at) or _COMPARED.match(text, at) or _PRESENT.match(text, at)
        if found is None or (found.end() < len(text) and text[found.end()] != ","):
            raise _unreadable("labelSelector", text, at)
        yield _requirement(found)
        at = found.end() + 1
        while at < len(text) and text[at] == " ":
            at += 1


def _requirement(found: re.Match[str]) -> Requirement:
    parts = found.groupdict()
    if "word" not in parts:
        return Requirement(parts["key"], Operator.DOES_NOT_EXIST if parts["not"] else Operator.EXISTS)
    values = [each.strip() for each in parts["values"].split(",")] if "values" in parts else [parts["value"]]
    return Requirement(parts["key"], _WORDS[parts["word"]], tuple(values))


def parse_fields(text: str) -> tuple[FieldTerm, ...]:
    """`spec.nodeName=a,status.phase!=Running` as terms."""
    terms = []
    for part in filter(None, map(str.strip, text.split(","))):
        path, sign, value = part.partition("=")
        if not sign or not path.strip("!"):
            raise _unreadable("fieldSelector", text, text.index(part))
        terms.append(FieldTerm(path.rstrip("! "), value.removeprefix("=").strip(), equal=not path.endswith("!")))
    return tuple(terms)


def _unreadable(place: str, text: str, at: int) -> InputError:
    return InputError(f"cannot be read from {text[at : at + 40]!r} on", place=place, next="write KEY=VALUE,…")

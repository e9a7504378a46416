"""JSON to plain data: orjson reads, bulk checks look for what it lets pass, and a careful pass only follows suspicion.

Refused besides bad syntax: a key that stands twice, too much depth, too many nodes, control characters, numbers that
are not finite and integers of too many digits; the same as in YAML, in the same words.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NoReturn

import orjson

from bayplan.framework.errors import InputError
from bayplan.manifests import refusals
from bayplan.manifests.collector import collector_paused
from bayplan.manifests.json_guard import Copy, count_nodes, is_suspicious
from bayplan.manifests.json_walk import unquoted, visits
from bayplan.manifests.paths import clip
from bayplan.manifests.places import line_and_column
from bayplan.manifests.scalars import ScalarError, control_character, finite, integer

if TYPE_CHECKING:
    from bayplan.manifests.json_walk import Visit
    from bayplan.manifests.limits import Limits

_NUMBER = re.compile(r"-?[0-9]++(\.[0-9]*+)?([eE][-+]?[0-9]*+)?")
_NOT_FINITE = re.compile(r"-?(?:NaN|Infinity)\b")
_NEXT = {
    "trailing comma": "remove the comma",
    "end of data": "close what was opened: a quote, a bracket or a brace; the text may have been cut off",
    "after document": "keep one value, or separate documents with a line that holds only ---",
    "string key": 'put the key in double quotes: "key": value',
    "leading zero": "remove the zero, or put it in quotes if it is text",
    "surrogate": "write the character itself, or both halves of the pair",
    "control character": 'write it as an escape: "\\n" for a new line, "\\t" for a tab',
}


class JsonSyntaxError(InputError):
    """Not JSON; `offset` says how far the parser came, to tell broken JSON from YAML."""

    offset = 0


def read_json(data: bytes, source: str, limits: Limits) -> Any:
    """The one value of the text, or the first reason to refuse it."""
    with collector_paused():
        try:
            value = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            _refuse_syntax(error, data, source, limits)
        copy = Copy(value, limits)
        if count_nodes(value, copy, limits) > limits.nodes:
            raise refusals.refusal(source, refusals.too_many_nodes(limits), line=1, next=refusals.SPLIT_IT)
        if is_suspicious(data, copy):
            _refuse_first(data, source, limits)
            return json.loads(data) if copy.holds_huge_float() else value
        return value


def _refuse_first(data: bytes, source: str, limits: Limits) -> None:
    """Raises for the first thing in the text that is refused, if there is any: suspicion is no proof."""
    for visit in visits(data):
        message, next_step = _complaint(visit, limits)
        if message:
            line, column = line_and_column(data, visit.offset)
            raise refusals.refusal(source, message, line=line, column=column, path=visit.steps, next=next_step)


def _complaint(visit: Visit, limits: Limits) -> tuple[str, str]:
    first = visit.token[:1]
    key = visit.steps[-1] if visit.steps else ""
    if visit.is_again:
        return refusals.twice(clip(str(key))), refusals.KEEP_ONE
    if first in b"[{" and len(visit.steps) >= limits.depth:
        return refusals.too_deep(limits), refusals.FLATTEN_IT
    if isinstance(key, str) and (character := control_character(key)):
        return f"the control character {character} in a key", refusals.REMOVE_CONTROL
    if first == b'"':
        character = control_character(unquoted(visit.token))
        return (f"the control character {character} in a text", refusals.REMOVE_CONTROL) if character else ("", "")
    return _number_complaint(visit.token.decode(errors="replace"), limits), refusals.TEXT_NEEDS_QUOTES


def _number_complaint(token: str, limits: Limits) -> str:
    found = _NUMBER.match(token)
    if found is None:
        return ""
    try:
        if found.lastindex is None:
            integer(found[0], limits.digits_per_integer)
        else:
            finite(found[0])
    except ScalarError as error:
        return str(error)
    return ""


def _refuse_syntax(error: orjson.JSONDecodeError, data: bytes, source: str, limits: Limits) -> NoReturn:
    """What orjson could not read: a number or a depth that we refuse, or a mistake of syntax."""
    if "memory" in error.msg or "recursion" in error.msg:
        _refuse_first(data, source, limits)
    text = data.decode(errors="replace")
    start = error.pos
    if found := _NOT_FINITE.match(text, start) or _NOT_FINITE.match(text, max(0, start - 1)):
        message = f"{found[0]} is not a finite number"
    else:
        message = _number_complaint(text[start : start + limits.bytes_per_document], limits)
    if message:
        next_step = refusals.TEXT_NEEDS_QUOTES
        raise refusals.refusal(source, message, line=error.lineno, column=error.colno, next=next_step) from None
    refused = JsonSyntaxError(
        f"not valid JSON: {error.msg}",
        place=f"{source}:{error.lineno}:{error.colno}",
        next=next((step for words, step in _NEXT.items() if words in error.msg), "correct it here or just before"),
    )
    refused.offset = start
    raise refused from None

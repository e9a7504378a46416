"""JSON to plain data: orjson parses, bulk checks look for what it should refuse, and only suspects are walked.

Refused besides bad syntax: duplicate keys, too much depth, too many nodes, control characters, numbers that
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
from bayplan.manifests.expansion import measure
from bayplan.manifests.json_guard import Copy, Survey, may_hold_more_nodes, surely_holds_more_nodes
from bayplan.manifests.json_places import JsonPlaces
from bayplan.manifests.limits import MIB
from bayplan.manifests.paths import clip
from bayplan.manifests.places import line_and_column
from bayplan.manifests.refusals import refusal
from bayplan.manifests.scalars import ScalarError, finite, integer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.manifests.limits import Limits
    from bayplan.manifests.paths import Step

_CONTAINERS = (dict, list)
_SHORT = 16 * 1024  # bytes: fewer objects than the collector waits for, so that a pause of it saves nothing
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
    """Not JSON; `offset` is how far the parser came, which tells broken JSON from YAML."""

    offset = 0


def read_json(data: bytes, source: str, limits: Limits) -> Any:
    """The one value of the text, or a reason to refuse it."""
    is_crowded = may_hold_more_nodes(data, limits.nodes)  # asked once: it takes a pass over the text
    if is_crowded and surely_holds_more_nodes(data, limits.nodes):
        _refuse_nodes(source, limits)
    if len(data) <= _SHORT:
        return _read(data, source, limits, is_crowded=is_crowded)
    with collector_paused(is_large=len(data) > MIB):
        return _read(data, source, limits, is_crowded=is_crowded)


def _read(data: bytes, source: str, limits: Limits, *, is_crowded: bool) -> Any:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        _refuse_syntax(error, data, source, limits)
    return _checked(value, data, source, limits, is_crowded=is_crowded)


def _checked(value: Any, data: bytes, source: str, limits: Limits, *, is_crowded: bool) -> Any:
    survey = Survey(data)
    if survey.control is not None:
        _refuse_control(*survey.control, data, source)
    copy = Copy(value, data, limits)
    is_crowded = is_crowded and copy.may_hold_more_nodes(limits.nodes)
    if is_crowded and measure(value, limits.nodes).nodes > limits.nodes:
        _refuse_nodes(source, limits)
    if copy.text is None:
        _refuse_first(value, data, source, limits)
    if copy.lacks_keys(data, survey.escaped_quotes) or copy.holds_huge_float():
        value = json.loads(data, object_pairs_hook=_pairs)
        _refuse_first(value, data, source, limits)
    return value


def _refuse_nodes(source: str, limits: Limits) -> NoReturn:
    raise refusal(source, refusals.too_many_nodes(limits), line=1, next=refusals.SPLIT_IT)


def _refuse_control(offset: int, character: str, data: bytes, source: str) -> NoReturn:
    line, column = line_and_column(data, offset)
    message = refusals.control_in_text(character)
    raise refusal(source, message, line=line, column=column, next=refusals.REMOVE_CONTROL)


class _Twice:
    """A marker in the place of an object that has this key twice."""

    def __init__(self, key: str) -> None:
        self.key = key


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Twice:
    whole = dict(pairs)
    if len(whole) == len(pairs):
        return whole
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return _Twice(key)
        seen.add(key)
    return whole


def _refuse_first(value: Any, data: bytes, source: str, limits: Limits) -> None:
    """Raise for the first value that is refused. There may be none: the bulk checks only raise suspicion."""
    too_long = 10**limits.digits_per_integer
    for steps, item in _in_order(value):
        kind = type(item)
        if kind is _Twice:
            offset = JsonPlaces(data).offset_of_last(steps, item.key)
            _refuse_at(offset, (*steps, item.key), refusals.twice(clip(item.key)), refusals.KEEP_ONE, data, source)
        if kind in _CONTAINERS and len(steps) >= limits.depth:
            message, next_step = refusals.too_deep(limits), refusals.FLATTEN_IT
        elif kind is int and abs(item) >= too_long:
            message, next_step = _number_complaint(str(item), limits), refusals.TEXT_NEEDS_QUOTES
        else:
            continue
        _refuse_at(JsonPlaces(data).offset(steps), steps, message, next_step, data, source)


def _refuse_at(offset: int, path: tuple[Step, ...], message: str, next_step: str, data: bytes, source: str) -> NoReturn:
    line, column = line_and_column(data, offset)
    raise refusal(source, message, line=line, column=column, path=path, next=next_step)


def _in_order(value: Any) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Every value with its path, in the order of the text."""
    waiting: list[tuple[tuple[Step, ...], Any]] = [((), value)]
    while waiting:
        steps, item = waiting.pop()
        yield steps, item
        if type(item) is dict:
            waiting += [((*steps, key), child) for key, child in reversed(item.items())]
        elif type(item) is list:
            waiting += [((*steps, index), item[index]) for index in range(len(item) - 1, -1, -1)]


def _number_complaint(text: str, limits: Limits) -> str:
    """The problem of the number at the beginning of the text; None where there is no number or no problem."""
    found = _NUMBER.match(text)
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
    """Raise for what orjson could not parse: a number or depth that is refused, or a syntax error."""
    if any(word in error.msg for word in ("memory", "depth", "recursion")):
        message = refusals.too_deep(limits)
        raise refusal(source, message, line=error.lineno, column=error.colno, next=refusals.FLATTEN_IT) from None
    text = data.decode(errors="replace")
    if found := _NOT_FINITE.match(text, error.pos) or _NOT_FINITE.match(text, max(0, error.pos - 1)):
        message = f"{found[0]} is not a finite number"
    else:
        message = _number_complaint(text[error.pos : error.pos + limits.bytes_per_document], limits)
    if message:
        next_step = refusals.TEXT_NEEDS_QUOTES
        raise refusal(source, message, line=error.lineno, column=error.colno, next=next_step) from None
    refused = JsonSyntaxError(
        f"not valid JSON: {error.msg}",
        place=f"{source}:{error.lineno}:{error.colno}",
        next=next((step for words, step in _NEXT.items() if words in error.msg), "correct it here or just before"),
    )
    refused.offset = error.pos
    raise refused from None

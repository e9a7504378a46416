"""YAML to plain data, one parser event at a time, with every bound checked before the work it bounds.

PyYAML's loaders are not used: they build all nodes first, follow YAML 1.1, expand aliases without counting, and let
the last of two equal keys win. Its binding of libyaml's event parser is, and what events mean is decided here.
Aliases share one Python object, so a document must not be changed in place.

Tags: `!!str` is honoured, every other tag is refused. Anchors, aliases and merge keys (`<<`) are understood.
"""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any, NoReturn

from yaml.error import YAMLError
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from bayplan.manifests import refusals
from bayplan.manifests.collector import collector_paused
from bayplan.manifests.expansion import Expansion, measure, merge_into
from bayplan.manifests.limits import MIB
from bayplan.manifests.paths import clip
from bayplan.manifests.scalars import MAYBE_NOT_TEXT, ScalarError, control_character, resolve
from bayplan.manifests.yaml_events import MERGE_KEY, STR_TAG, check_directives, syntax_refusal, yaml_parser

if TYPE_CHECKING:
    from collections.abc import Callable

    from yaml.events import CollectionEndEvent, CollectionStartEvent, Event

    from bayplan.manifests.limits import Limits
    from bayplan.manifests.paths import Step

_MERGE = object()
_OPEN = object()
_NOT_PLAIN_TEXT = MAYBE_NOT_TEXT | {MERGE_KEY[0]}
"""First characters of unquoted scalars that may mean more than their text."""


def read_yaml(text: str, source: str, limits: Limits, size_bytes: int) -> list[tuple[int, Any]]:
    """Every document that is not empty, with its position in the stream."""
    check_directives(text, source)
    builder = _Builder(source, limits, events=limits.yaml_events(size_bytes))
    try:
        with collector_paused(is_large=size_bytes > MIB):
            builder.take_all(yaml_parser(text).get_event)
    except YAMLError as error:
        raise syntax_refusal(error, text, source) from None
    return builder.documents


class _Frame:
    """A collection that is not closed yet; `key` waits for its value."""

    key: Any = None
    anchor: str | None = None
    merges: list[dict[str, Any]] | None = None

    def __init__(self, container: Any, *, is_list: bool) -> None:
        self.container = container
        self.is_list = is_list


class _Builder:
    """The data built so far; the root of a document is the only item of the outermost list."""

    def __init__(self, source: str, limits: Limits, *, events: int) -> None:
        self.source = source
        self.limits = limits
        self.events = events
        self.documents: list[tuple[int, Any]] = []
        self.position = -1
        self.event: Any = None
        self._start()

    def take_all(self, get_event: Callable[[], Event | None]) -> None:
        """The loop over all events: one microsecond more here is a fifth of a second at the limit of events."""
        on: dict[type, Callable[[Any], None]] = {
            StreamStartEvent: lambda _: None,
            StreamEndEvent: lambda _: None,
            DocumentStartEvent: lambda _: self._start(),
            DocumentEndEvent: lambda _: self._end(),
            AliasEvent: self._alias,
            SequenceStartEvent: lambda event: self._open(event, _Frame([], is_list=True)),
            MappingStartEvent: lambda event: self._open(event, _Frame({}, is_list=False)),
            SequenceEndEvent: self._close,
            MappingEndEvent: self._close,
        }
        scalar = self._scalar
        for _ in repeat(None, self.events):
            self.event = event = get_event()
            if type(event) is ScalarEvent:
                scalar(event)
            elif event is None:
                return
            else:
                on[type(event)](event)
        if get_event() is not None:
            message = f"too dense for YAML: more than {self.events:,} parser events in a text of this size"
            self._refuse(message, next="write it as JSON, or split it")

    def _start(self) -> None:
        self.nodes = 1
        self.repeated_characters = 0
        self.is_blank = False
        self.known: dict[str, Any] = {}
        self.anchors: dict[str, Any] = {}
        self.expansions: dict[str, Expansion] = {}
        self.frame = _Frame([], is_list=True)
        self.stack: list[_Frame] = []

    def _end(self) -> None:
        self.position += 1
        if not self.is_blank:
            self.documents.append((self.position, self.frame.container[0]))

    def _scalar(self, event: ScalarEvent) -> None:
        value: Any = event.value
        if not value or event.style or event.tag is not None or value[0] in _NOT_PLAIN_TEXT:
            value = self._meaning(event)
        if event.anchor is not None:
            self._name(event.anchor, value)
        frame = self.frame
        if frame.is_list:
            frame.container.append(value)
        elif frame.key is None or frame.key is _MERGE:
            self._put_pair(frame, value)
        else:
            frame.container[frame.key] = value
            frame.key = None

    def _meaning(self, event: ScalarEvent) -> Any:
        """The value of a scalar that is more than plain text: a number, a word such as `true`, quoted, tagged, `<<`."""
        value = event.value
        if event.tag is not None:
            self._check_tagged(event)
        elif event.style:
            if not value.isprintable():
                self._check_text(value)
        elif value != MERGE_KEY:
            return self._resolved(value)
        elif self._expects_key():
            return _MERGE
        return value

    def _resolved(self, text: str) -> Any:
        value = self.known.get(text, _OPEN)
        if value is not _OPEN:
            return value
        if not text and not self.stack:
            self.is_blank = self.event.anchor is None
        try:
            value = self.known[text] = resolve(text, self.limits.digits_per_integer)
        except ScalarError as error:
            self._refuse(str(error), next=refusals.TEXT_NEEDS_QUOTES)
        return value

    def _check_tagged(self, event: ScalarEvent) -> None:
        if event.tag != STR_TAG:
            self._refuse_tag(str(event.tag))
        self._check_text(event.value)

    def _check_text(self, text: str) -> None:
        if character := control_character(text):
            self._refuse(refusals.control_in_text(character), next=refusals.REMOVE_CONTROL)

    def _open(self, event: CollectionStartEvent, opened: _Frame) -> None:
        around = self.frame
        if len(self.stack) >= self.limits.depth:
            self._refuse(refusals.too_deep(self.limits), next=refusals.FLATTEN_IT)
        if event.tag is not None:
            self._refuse_tag(event.tag)
        if around.key is None and not around.is_list:
            self._refuse_collection_key()
        if event.anchor is not None:
            self._name(event.anchor, _OPEN)
            opened.anchor = event.anchor
        self.stack.append(around)
        self.frame = opened

    def _close(self, _: CollectionEndEvent) -> None:
        closed = self.frame
        self.nodes += len(closed.container) if closed.is_list else 2 * len(closed.container)
        if self.nodes > self.limits.nodes:
            self._count(0)
        if closed.merges is not None:
            merge_into(closed.container, closed.merges)
        if closed.anchor is not None:
            self._name(closed.anchor, closed.container)
        self.frame = around = self.stack.pop()
        if around.is_list:
            around.container.append(closed.container)
        else:
            self._put_pair(around, closed.container)

    def _name(self, anchor: str, value: Any) -> None:
        self.anchors[anchor] = value
        self.expansions.pop(anchor, None)

    def _alias(self, event: AliasEvent) -> None:
        name = str(event.anchor)
        value = self.anchors.get(name, _MERGE)
        if value is _MERGE:
            self._refuse(f"the alias *{clip(name)} refers to no anchor", next=f"define &{clip(name)} before it")
        if value is _OPEN:
            self._refuse(f"the alias *{clip(name)} is inside the node that it names", next="remove the recursion")
        if name not in self.expansions:
            self.expansions[name] = measure(value, self.limits.nodes - self.nodes)
        self._grant(self.expansions[name])
        self._put(value)

    def _grant(self, expansion: Expansion) -> None:
        """Count what an alias repeats as if it were written out, before anything is expanded."""
        self._count(expansion.nodes - 1)
        self.repeated_characters += expansion.characters
        if self.repeated_characters > self.limits.bytes_per_document:
            most = f"{self.limits.bytes_per_document:,}"
            self._refuse(f"aliases repeat more than {most} characters", next="repeat less")
        if len(self.stack) + expansion.height > self.limits.depth:
            self._refuse(refusals.too_deep(self.limits), next=refusals.FLATTEN_IT)

    def _count(self, nodes: int) -> None:
        self.nodes += nodes
        if self.nodes > self.limits.nodes:
            self._refuse(refusals.too_many_nodes(self.limits), next=refusals.SPLIT_IT)

    def _expects_key(self) -> bool:
        return self.frame.key is None and not self.frame.is_list

    def _put(self, value: Any) -> None:
        frame = self.frame
        if frame.is_list:
            frame.container.append(value)
        else:
            self._put_pair(frame, value)

    def _put_pair(self, frame: _Frame, value: Any) -> None:
        key = frame.key
        if key is None:
            if type(value) is not str or value in frame.container:
                self._check_key(frame, value)
            frame.key = value
        elif key is _MERGE:
            frame.merges = self._merge_sources(value)
            frame.key = None
        else:
            frame.container[key] = value
            frame.key = None

    def _check_key(self, frame: _Frame, key: Any) -> None:
        if key is _MERGE:
            if frame.merges is not None:
                self._refuse(refusals.twice(MERGE_KEY), next="name several sources in one list: <<: [*a, *b]")
        elif type(key) is list or type(key) is dict:
            self._refuse_collection_key()
        elif type(key) is not str:
            self._refuse(f"the key {_shown(key)} is not text", next="put it in quotes")
        else:
            frame.key = key
            self._refuse(refusals.twice(clip(key)), next=refusals.KEEP_ONE)

    def _merge_sources(self, value: Any) -> list[dict[str, Any]]:
        sources = value if type(value) is list else [value]
        if not all(type(source) is dict for source in sources):
            self._refuse("<< can only merge mappings", next="name a mapping or a list of mappings")
        return sources

    def _refuse_collection_key(self) -> NoReturn:
        self._refuse("a list or a mapping cannot be a key", next="write the key as text")

    def _refuse_tag(self, tag: str) -> NoReturn:
        self._refuse(f"the tag {clip(tag)} is not understood", next="remove it: of all tags only !!str is read")

    def _refuse(self, message: str, *, next: str) -> NoReturn:  # noqa: A002
        mark = self.event.start_mark
        steps: list[Step] = []
        for frame in (*self.stack, self.frame)[1:]:
            if frame.is_list:
                steps.append(len(frame.container))
            elif frame.key is not None:
                steps.append(MERGE_KEY if frame.key is _MERGE else frame.key)
        line, column = mark.line + 1, mark.column + 1
        raise refusals.refusal(self.source, message, line=line, column=column, path=steps, next=next)


def _shown(key: Any) -> str:
    words = {None: "null", True: "true", False: "false"}
    return words[key] if key is None or type(key) is bool else clip(str(key))

"""The lines of the nodes of a YAML document, found by parsing it again when an error needs one."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentEndEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from bayplan.manifests.yaml_events import yaml_parser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.manifests.paths import Step


class YamlPlaces:
    """The lines of one document, read from its text when the first one is needed.

    A document of usual size is walked once. Of a large one only the lines of the first part are kept, and the rest is
    parsed again for each question: a map of all lines would take more memory than the document.
    """

    def __init__(self, text: str, position: int, *, remembered: int = 250_000) -> None:
        self._text = text
        self._position = position
        self._remembered = remembered
        self._known: dict[tuple[Step, ...], int] = {}
        self._is_complete = False

    def line(self, steps: tuple[Step, ...]) -> int | None:
        """The line of the node, or of the nearest node around it: a missing field has no line of its own."""
        if not self._known:
            self._learn()
        if steps not in self._known and not self._is_complete:
            return self._search(steps)
        return next((self._known[around] for around in _outward(steps) if around in self._known), None)

    def _learn(self) -> None:
        self._known.update(islice(_lines(self._text, self._position), self._remembered))
        self._is_complete = len(self._known) < self._remembered

    def _search(self, steps: tuple[Step, ...]) -> int | None:
        wanted = set(_outward(steps))
        found = None
        for visited, line in _lines(self._text, self._position):
            if visited in wanted:
                found = line
                if visited == steps:
                    break
        return found


def _outward(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    return (steps[:length] for length in range(len(steps), -1, -1))


class _Frame:
    __slots__ = ("index", "key", "line", "steps")

    def __init__(self, steps: tuple[Step, ...], *, is_list: bool) -> None:
        self.steps = steps
        self.index = 0 if is_list else -1
        self.key: str | None = None
        self.line = 0


def _lines(text: str, position: int) -> Iterator[tuple[tuple[Step, ...], int]]:
    """The path and the line of every node that is written out in the document at this position of the stream."""
    parser = yaml_parser(text)
    skipped = 0
    stack: list[_Frame] = []
    while (event := parser.get_event()) is not None:
        if isinstance(event, DocumentEndEvent):
            if skipped == position:
                return
            skipped += 1
        elif skipped < position:
            continue
        elif isinstance(event, CollectionEndEvent):
            stack.pop()
        elif isinstance(event, NodeEvent):
            yield from _visit(event, stack)


def _visit(event: NodeEvent, stack: list[_Frame]) -> Iterator[tuple[tuple[Step, ...], int]]:
    """Take one event; the line of a value in a mapping is that of its key."""
    line = event.start_mark.line + 1 if event.start_mark else 0
    steps: tuple[Step, ...] = ()
    if stack:
        frame = stack[-1]
        if frame.index >= 0:
            steps = (*frame.steps, frame.index)
            frame.index += 1
        elif frame.key is None:
            frame.key, frame.line = _key(event), line
            return
        else:
            steps, line = (*frame.steps, frame.key), frame.line
            frame.key = None
    yield steps, line
    if isinstance(event, CollectionStartEvent):
        stack.append(_Frame(steps, is_list=isinstance(event, SequenceStartEvent)))


def _key(event: NodeEvent) -> str:
    if isinstance(event, ScalarEvent):
        return str(event.value)
    return f"*{event.anchor}" if isinstance(event, AliasEvent) else ""

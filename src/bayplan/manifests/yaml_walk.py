"""A second pass over YAML that was already read, to learn on which line everything stands."""

from __future__ import annotations

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


class _Frame:
    __slots__ = ("index", "key", "line", "steps")

    def __init__(self, steps: tuple[Step, ...], *, is_list: bool) -> None:
        self.steps = steps
        self.index = 0 if is_list else -1
        self.key: str | None = None
        self.line = 0


def lines(text: str, position: int) -> Iterator[tuple[tuple[Step, ...], int]]:
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
    """A key waits for its value, whose place is where the key stands."""
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

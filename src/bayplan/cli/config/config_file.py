"""A configuration from a file or from stdin; its problems name file and line."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from bayplan.cli.errors import warn
from bayplan.framework.errors import ConfigError, InputError, Problem
from bayplan.library.registry import plugins_for, read_any_config
from bayplan.manifests.reader import read_file, read_stream

if TYPE_CHECKING:
    from bayplan.framework.config.scheduler_config import SchedulerConfig
    from bayplan.framework.registry import Registry
    from bayplan.manifests.reader import Document
    from bayplan.routing.config.routing_config import RoutingConfig

    Configuration: TypeAlias = SchedulerConfig | RoutingConfig

File: TypeAlias = Annotated[
    str,
    Parameter(name=("--file", "-f"), allow_leading_hyphen=True, help="The configuration, YAML or JSON; - is stdin."),
]

_STDIN = "<stdin>"


def read(file: str) -> tuple[Configuration, tuple[Problem, ...]]:
    """The configuration and its warnings; InputError, or ConfigError with every problem, at `FILE:LINE: PATH`."""
    document = read_one(file)
    known = plugins_for(document.data)
    for problem in known.load_entry_points():
        warn(str(problem))
    return parse(document, known)


def parse(document: Document, known: Registry) -> tuple[Configuration, tuple[Problem, ...]]:
    """The configuration that a document holds, of whichever scheduler."""
    try:
        config = read_any_config(document.data, known, document.line)
    except ConfigError as error:
        raise ConfigError(tuple(_located(problem, document) for problem in error.problems)) from None
    return config, tuple(_located(problem, document) for problem in config.warnings)


def read_one(file: str) -> Document:
    """The only document of a file or of stdin; several are refused."""
    if file == "-" and sys.stdin is None:
        raise InputError("stdin is closed", place=_STDIN, next="name a file")
    documents = read_stream(sys.stdin.buffer, _STDIN) if file == "-" else read_file(Path(file))
    if len(documents) != 1:
        message = f"holds {len(documents)} documents, and a configuration is one"
        step = "keep one" if documents else "write one: bayplan config schema says how"
        raise InputError(message, place=_STDIN if file == "-" else file, next=step)
    return documents[0]


def _located(problem: Problem, document: Document) -> Problem:
    where = document.source if problem.line is None else f"{document.source}:{problem.line}"
    return replace(problem, place=f"{where}: {problem.place}", line=None)

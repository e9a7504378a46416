"""Errors as users see them: `error: PLACE: PROBLEM; NEXT STEP`; a traceback only with --debug."""

from __future__ import annotations

import json
import sys
import traceback
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bayplan.cli.commands import COMMANDS, GLOBAL_FLAGS
from bayplan.cli.server.refusals import RefusedError
from bayplan.cli.text import one_line
from bayplan.framework.config.place import clip
from bayplan.framework.errors import BayplanError, ConfigError, InputError, Problem
from bayplan.framework.nearest import did_you_mean

if TYPE_CHECKING:
    from cyclopts import CycloptsError

USAGE = "usage"
INTERNAL = "internal"
_WITH_PROBLEMS = (ConfigError, RefusedError)


def report(problem: Exception, *, as_json: bool = False, debug: bool = False) -> None:
    """Write the problem to stderr, for a person or for a program."""
    error = as_bayplan_error(problem)
    trace = "".join(traceback.format_exception(problem)) if debug else ""
    if as_json:
        _say(json.dumps({"error": _document(error, trace)}) + "\n")
    else:
        _say(trace + "".join(f"error: {one_line(line)}\n" for line in _lines(error)))


def warn(text: str) -> None:
    """Print a warning: the answer is valid, but the user should know this."""
    _say(f"warning: {one_line(text)}\n")


def note(text: str) -> None:
    """Print what is no part of the answer and no warning, such as that there is nothing to show."""
    _say(f"{one_line(text)}\n")


def as_bayplan_error(problem: Exception) -> BayplanError:
    """Any exception as a BayplanError, with a place and a next step."""
    from cyclopts import CycloptsError  # noqa: PLC0415 (the overview of commands does without it)

    if isinstance(problem, BayplanError):
        return problem
    if isinstance(problem, CycloptsError):
        return _usage(problem)
    if isinstance(problem, OSError):
        place = str(problem.filename or "output")
        return InputError(problem.strerror or str(problem), place=place, next="check the file or the disk", code="io")
    if isinstance(problem, MemoryError):
        return BayplanError("out of memory", place="bayplan", next="hand in less at once", code="out-of-memory")
    return BayplanError(
        f"unexpected {type(problem).__name__}: {problem}",
        place="bayplan",
        next="this is a bug: please report it with what --debug shows",
        code=INTERNAL,
    )


def as_dict(problem: Problem) -> dict[str, Any]:
    """A problem as an item of a list in a document; `line` is present only where the place does not name it."""
    return {name: value for name, value in asdict(problem).items() if value is not None}


def _usage(problem: CycloptsError) -> BayplanError:
    """An error of cyclopts: its first sentence is the problem, the others become the next step."""
    from cyclopts import MissingArgumentError, UnknownCommandError, UnusedCliTokensError  # noqa: PLC0415 (as above)

    problem.verbose = False
    words = tuple(problem.command_chain or ())
    if isinstance(problem, UnknownCommandError) and problem.unused_tokens:
        return _unknown_command(words, problem.unused_tokens[0])
    if isinstance(problem, UnusedCliTokensError) and problem.unused_tokens:
        return _usage_error(words, f"nothing is expected at {clip(problem.unused_tokens[0])!r}", "")
    if isinstance(problem, MissingArgumentError) and problem.argument is not None:
        return _usage_error(words, f"{problem.argument.name.lstrip('-').upper()} is missing", "")
    message, _, hint = str(problem).partition(". ")
    return _usage_error(words, _inner(message), _inner(hint))


def _inner(sentence: str) -> str:
    """The sentence as a part of another one."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")


def _unknown_command(words: tuple[str, ...], word: str) -> BayplanError:
    """An unknown command with the nearest known one; cyclopts would import every command to find it."""
    if word.startswith("-"):
        flags = [flag for names, _ in GLOBAL_FLAGS for flag in names.split(", ")]
        return _usage_error(words, f"unknown option {clip(word)!r}", did_you_mean(word, flags))
    place = len(words)
    known = [each.words[place] for each in COMMANDS if each.words[:place] == words]
    return _usage_error(words, f"unknown command {clip(word)!r}", did_you_mean(word, known))


def _usage_error(words: tuple[str, ...], message: str, hint: str) -> BayplanError:
    command = " ".join(("bayplan", *words))
    see = f"see {command} --help"
    steps = f"{hint} ({see})" if hint else see
    return InputError(message, place=command, next=steps, code=USAGE)


def _lines(error: BayplanError) -> list[str]:
    return [str(each) for each in error.problems] if isinstance(error, _WITH_PROBLEMS) else [str(error)]


def _document(error: BayplanError, trace: str) -> dict[str, Any]:
    document: dict[str, Any] = dict(error.as_dict())
    if isinstance(error, _WITH_PROBLEMS):
        document["problems"] = [as_dict(each) for each in error.problems]
    if trace:
        document["traceback"] = trace
    return document


def _say(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)

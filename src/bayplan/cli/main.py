"""The command `bayplan`: its global flags, its exit codes, and how it ends when it is interrupted.

Exit codes: 0 yes or done, 1 error, 2 does not fit, 3 fits partly; 130 when the user interrupts and 141 when the
reader of a pipe has closed it, as for commands of a shell.
"""

from __future__ import annotations

import gc
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import bayplan
from bayplan.cli.help import overview
from bayplan.cli.text import write

if TYPE_CHECKING:
    from collections.abc import Sequence

FAILED = 1
DEBUG = "BAYPLAN_DEBUG"
"""Set for commands that run long, so that their log has tracebacks too."""
INTERRUPTED = 130
NOBODY_READS = 141

_NEW_OBJECTS = 100_000
"""New objects between two runs of the garbage collector. Loading modules leaves no garbage; with Python's default of
700 a first plan would spend a tenth of its time collecting.
"""

_BLAS_THREADS = "OPENBLAS_NUM_THREADS"
"""Commands do no linear algebra: one thread saves a first plan the tenth of a second that NumPy takes to start more."""


def main() -> NoReturn:
    """The entry point of the command."""
    gc.set_threshold(_NEW_OBJECTS)
    os.environ.setdefault(_BLAS_THREADS, "1")
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; errors are printed, never raised."""
    line = CommandLine.split(arguments)
    if line.no_color:
        os.environ["NO_COLOR"] = "1"
    if line.debug:
        os.environ[DEBUG] = "1"
    try:
        status = _dispatch(line.words)
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 0 if line.words[:1] == ("up",) else INTERRUPTED  # a server is ended like this
    except BrokenPipeError:
        _drop_output()
        return NOBODY_READS
    except Exception as problem:
        from bayplan.cli.errors import report  # noqa: PLC0415 (help needs no errors)

        report(problem, as_json=line.wants_json, debug=line.debug)
        return FAILED
    return status


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The words of a command line, and the global flags, which may stand anywhere among them."""

    words: tuple[str, ...]
    debug: bool
    no_color: bool

    @classmethod
    def split(cls, arguments: Sequence[str]) -> CommandLine:
        """Separate the global flags; words after a lone `--` are never flags."""
        end = arguments.index("--") if "--" in arguments else len(arguments)
        flags = {"--debug", "--no-color"}
        words = [word for word in arguments[:end] if word not in flags]
        return cls((*words, *arguments[end:]), "--debug" in arguments[:end], "--no-color" in arguments[:end])

    @property
    def wants_json(self) -> bool:
        """Whether errors are printed as JSON; found before the words are parsed, because parsing may fail."""
        pairs = zip(self.words, (*self.words[1:], ""), strict=True)
        joined = {"-ojson", "-o=json", "--output=json"}
        return any(word in joined or (word in ("-o", "--output") and value == "json") for word, value in pairs)


_SPELLINGS = {"--dry-run=server": "--dry-run", "--dry-run=client": "--dry-run"}
"""Values that kubectl gives to flags which are switches here."""


def _dispatch(words: Sequence[str]) -> int:
    if not words or words[0] in ("--help", "-h"):
        write(overview())
        return 0
    if words[0] == "--version":
        write(f"bayplan {bayplan.__version__}\n")
        return 0
    from bayplan.cli.app import build  # noqa: PLC0415 (cyclopts is slow to import)

    status: int | None = build()([_SPELLINGS.get(word, word) for word in words])
    return status or 0


def _drop_output() -> None:
    """Keep Python from complaining about the closed pipe while it shuts down."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)

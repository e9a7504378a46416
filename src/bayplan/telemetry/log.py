"""The log: one line for each event on stderr, as text or JSON, without secrets; set up here and nowhere else.

What a line is about goes beside its message: `extra={"record": ID, "object": "pods default/a"}`.
"""

from __future__ import annotations

import logging
import re
import sys
import time
import traceback
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from types import TracebackType
    from typing import TextIO

ROOT = "bayplan"
"""The logger above all of ours."""
_TOKEN = re.compile(r"(bayplan_[a-z0-9]{10}_)[A-Za-z0-9_-]+|(?i:(bearer\s+))\S+")
_LONGEST = 2_000  # characters of a line; texts of clients must not fill the disk
_SILENT = logging.CRITICAL + 1
_ABOUT = ("record", "object")
"""What a line may be about: the record of a decision, and an object."""
DECISIONS = f"{ROOT}.decisions"
"""The logger of single decisions: for machines, because thousands of lines are of no use to people."""


class LogForm(StrEnum):
    """How lines are written: for people, or for programs that collect them."""

    TEXT = "text"
    JSON = "json"


class OneLine(logging.Formatter):
    """`TIME LEVEL MESSAGE record=ID`; frames only where `traces` is set, and never the text of the exception.

    That text may repeat what a client sent, and so a Secret.
    """

    def __init__(self, *, traces: bool) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%SZ")
        self._traces = traces
        self.converter = time.gmtime

    def format(self, record: logging.LogRecord) -> str:
        record.message = plain(record.getMessage())
        record.asctime = self.formatTime(record, self.datefmt)
        line = self.formatMessage(record) + "".join(f" {name}={text}" for name, text in _about(record))
        error = record.exc_info[1] if record.exc_info else None
        if self._traces and error is not None:
            line += "\n" + frames(error)
        return line


class JsonLine(logging.Formatter):
    """`{"ts": …, "level": …, "logger": …, "msg": …, "record": …, "object": …, "error": …}`, by the same rules."""

    def __init__(self, *, traces: bool) -> None:
        super().__init__()
        self._traces = traces

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC)
        line = {
            "ts": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "msg": plain(record.getMessage()),
            **dict(_about(record)),
        }
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            line["error"] = origin(error)
            if self._traces:
                line["trace"] = frames(error)
        return orjson.dumps(line).decode()


def _about(record: logging.LogRecord) -> list[tuple[str, str]]:
    return [(name, plain(str(value))) for name in _ABOUT if (value := getattr(record, name, None))]


def log_to_stderr(*, debug: bool = False, form: LogForm = LogForm.TEXT, stream: TextIO | None = None) -> None:
    """Send the log to stderr; with `debug` more of it, tracebacks, and single decisions also for people."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLine(traces=debug) if form is LogForm.JSON else OneLine(traces=debug))
    shows_decisions = debug or form is LogForm.JSON
    logging.getLogger(DECISIONS).setLevel(logging.NOTSET if shows_decisions else logging.WARNING)
    logger = logging.getLogger(ROOT)
    logger.handlers[:] = [handler]
    logger.setLevel(logging.DEBUG if debug else logging.INFO)
    logger.propagate = False
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio"):
        # they print tracebacks with texts of exceptions; connections and handlers report their failures themselves
        logging.getLogger(name).setLevel(_SILENT)


def plain(text: str) -> str:
    """One line without control characters, which could forge lines or steer a terminal, and without tokens."""
    hidden = _TOKEN.sub(lambda found: f"{found[1] or found[2]}…", text[: 2 * _LONGEST])
    shown = "".join(each if each.isprintable() else " " for each in hidden)
    return shown if len(shown) <= _LONGEST else shown[:_LONGEST] + "…"


def origin(error: BaseException) -> str:
    """The type of an error and the line of ours where it came up."""
    frame = _last_of_ours(error.__traceback__)
    return f"{type(error).__name__} at {frame}" if frame else type(error).__name__


def frames(error: BaseException) -> str:
    """The traceback without the texts of exceptions."""
    lines = "".join(traceback.format_tb(error.__traceback__))
    return f"{lines}{type(error).__name__} (its text is left out, because it may repeat what a client sent)"


def _last_of_ours(trace: TracebackType | None) -> str:
    found = [each for each in traceback.extract_tb(trace) if f"/{ROOT}/" in each.filename]
    if not found:
        return ""
    path = found[-1].filename.rpartition(f"/{ROOT}/")[2]
    return f"{path}:{found[-1].lineno}"

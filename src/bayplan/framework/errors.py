"""Everything that can go wrong on the way to a decision.

    BayplanError            code, place, message, next: what every caller may rely on
    ├── InputError          a document, a quantity or a flag that cannot be read
    │   └── ConfigError     a scheduler's configuration: all its problems at once
    ├── UnknownPluginError  a name that is not registered
    ├── PluginError         a plugin that raised, or answered in a form that cannot be used
    │   ├── PickerError     a picker that returned no row, a foreign row or a refused one
    │   └── HandlerError    a handler that ran no profile, or one that does not exist
    └── ConflictError       a lost race: the rows of a plan have moved on

"Nothing fits" is absent on purpose: it is an answer, not an exception.
"""

from __future__ import annotations

from dataclasses import dataclass


class BayplanError(Exception):
    """The one exception that users of the library catch.

    It reads `PLACE: MESSAGE; NEXT`, so that a reader knows where to look and what to do.
    """

    code = "error"

    def __init__(self, message: str, *, place: str = "", next: str = "", code: str = "") -> None:  # noqa: A002
        self.message = message
        self.place = place
        self.next = next
        if code:
            self.code = code
        super().__init__(str(self))

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}" if self.place else self.message
        return f"{text}; {self.next}" if self.next else text

    def as_dict(self) -> dict[str, str]:
        """The error as the command line and the API print it."""
        return {"code": self.code, "place": self.place, "message": self.message, "next": self.next}


class InputError(BayplanError):
    """What was handed in cannot be read; `place` says where, down to the field or the line."""

    code = "invalid-input"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a document."""

    place: str
    message: str
    next: str = ""
    line: int | None = None

    def __str__(self) -> str:
        where = self.place if self.line is None else f"{self.place} (line {self.line})"
        text = f"{where}: {self.message}"
        return f"{text}; {self.next}" if self.next else text


class ConfigError(InputError):
    """A configuration with one or more problems, all of them found in one pass."""

    code = "invalid-config"

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        first = problems[0]
        place = first.place if first.line is None else f"{first.place} (line {first.line})"
        more = len(problems) - 1
        message = first.message + (f" (and {more} more problem{'s' * (more > 1)})" if more else "")
        super().__init__(message, place=place, next=first.next)


class UnknownPluginError(BayplanError):
    """No plugin of that name is registered."""

    code = "unknown-plugin"


class PluginError(BayplanError):
    """A plugin broke its contract; `plugin` names it."""

    code = "broken-plugin"

    def __init__(self, plugin: str, message: str, *, next: str = "") -> None:  # noqa: A002
        self.plugin = plugin
        super().__init__(message, place=f"plugin {plugin}", next=next)


class PickerError(PluginError):
    """A picker returned no row, a row that is not there, or one that a filter refused."""

    code = "broken-picker"


class HandlerError(PluginError):
    """A profile handler ran no profile, or asked for a profile or source that does not exist."""

    code = "broken-handler"


class ConflictError(BayplanError):
    """The rows of a plan changed since it was made: take a fresh snapshot and decide again."""

    code = "conflict"

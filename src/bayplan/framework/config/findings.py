"""What a pass over a document finds: all its problems at once, each with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.errors import ConfigError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.framework.config.place import Place

MOST_PROBLEMS = 100  # more are not read, and a hostile document could hold many thousands


class Findings:
    """Collects problems and warnings; `line` says on which line a path stands, where that is known."""

    def __init__(self, line: Callable[[str], int | None] | None = None) -> None:
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self._line = line

    def add(self, place: Place, message: str, next: str = "") -> None:  # noqa: A002 (the name in every error)
        """A problem: the document cannot be used. After very many of them, ConfigError at once."""
        self.problems.append(Problem(str(place), message, next, self._line_of(place)))
        if len(self.problems) >= MOST_PROBLEMS:
            raise self.error()

    def warn(self, place: Place, message: str, next: str = "") -> None:  # noqa: A002 (the name in every error)
        """Something that is odd but does no harm."""
        if len(self.warnings) < MOST_PROBLEMS:
            self.warnings.append(Problem(str(place), message, next, self._line_of(place)))

    def error(self) -> ConfigError:
        """Everything that was found, in the order of the document's lines."""
        return ConfigError(tuple(sorted(self.problems, key=lambda problem: problem.line or 0)))  # without a line: first

    def _line_of(self, place: Place) -> int | None:
        """What is missing has no line of its own: the nearest thing around it has."""
        if self._line is None:
            return None
        while True:
            line = self._line(place.path)
            if line is not None or not place.steps:
                return line
            place = place.parent

"""What is going on while a system is set up: a bar on a terminal, plain lines elsewhere; on stderr."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol, Self

from bayplan.cli.errors import note
from bayplan.cli.output import has_colours

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress, TaskID


class Progress(Protocol):
    """Stages one after the other, each with a number of steps; use it in a `with`."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def stage(self, text: str, steps: int) -> None:
        """Begin a stage."""
        ...

    def done(self, steps: int, of: int | None = None) -> None:
        """So many steps of the stage are done; `of` how many, where that has changed."""
        ...


class Lines:
    """A line when a stage begins, and one when it is done."""

    def __init__(self) -> None:
        self._text, self._steps, self._told = "", 0, False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def stage(self, text: str, steps: int) -> None:
        self._text, self._steps, self._told = text, steps, False
        note(f"{text} ...")

    def done(self, steps: int, of: int | None = None) -> None:
        self._steps = self._steps if of is None else of
        if steps >= self._steps > 0 and not self._told:
            self._told = True
            note(f"{self._text}: {steps} of {self._steps}")


class Bars:
    """One bar a stage, drawn by rich, which is gone at the end."""

    def __init__(self) -> None:
        from rich.console import Console  # noqa: PLC0415 (only a terminal pays for it)
        from rich.progress import BarColumn, MofNCompleteColumn, Progress as Rich, SpinnerColumn, TextColumn  # noqa: PLC0415

        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._bars: RichProgress = Rich(*columns, console=Console(stderr=True), transient=True)
        self._stage: TaskID | None = None

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def stage(self, text: str, steps: int) -> None:
        self._stage = self._bars.add_task(text, total=steps)

    def done(self, steps: int, of: int | None = None) -> None:
        if self._stage is not None:
            self._bars.update(self._stage, completed=steps, total=of)


def progress() -> Progress:
    """The display that suits stderr."""
    return Bars() if has_colours(sys.stderr) else Lines()

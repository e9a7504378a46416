"""Configurations that may change while their scheduler runs: a bad one changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from bayplan.framework.config.scheduler_config import SchedulerConfig
from bayplan.framework.errors import BayplanError
from bayplan.framework.scheduler import Scheduler

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Configuration(Protocol):
    """What was read of a document; two documents that mean the same have equal `document()`s."""

    def document(self) -> dict[str, Any]: ...


C = TypeVar("C", bound=Configuration)
B = TypeVar("B")


@dataclass(frozen=True, slots=True, eq=False)
class Live(Generic[C, B]):
    """A configuration and what was built from it, which belong together; the first has generation 1."""

    config: C
    built: B
    generation: int


class LiveConfig(Generic[C, B]):
    """Holds the last good configuration.

    `read` makes a configuration of a document, `build` a scheduler or a router of that; both may refuse, and only when
    both are done is anything replaced, by one assignment. A caller that decides takes `current` once and uses that to
    the end.
    """

    def __init__(
        self, document: Mapping[str, Any], *, read: Callable[[Mapping[str, Any]], C], build: Callable[[C], B]
    ) -> None:
        self._read, self._build = read, build
        config = read(document)
        self.current = Live(config, build(config), 1)
        self.last_error: BayplanError | None = None

    @property
    def config(self) -> C:
        return self.current.config

    @property
    def generation(self) -> int:
        return self.current.generation

    def reload(self, document: Mapping[str, Any]) -> bool:
        """Take over a new document; False if it is refused, and then `last_error` says why.

        A document that means the same as the present one changes nothing either, so that plugins keep their state.
        """
        try:
            config = self._read(document)
            if config.document() != self.config.document():
                self.current = Live(config, self._build(config), self.generation + 1)
        except BayplanError as problem:
            self.last_error = problem
            return False
        self.last_error = None
        return True


class LiveScheduler(LiveConfig[SchedulerConfig, Scheduler]):
    """A scheduler whose configuration may change while it runs."""

    @property
    def scheduler(self) -> Scheduler:
        return self.current.built

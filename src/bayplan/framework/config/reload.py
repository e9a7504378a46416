"""A scheduler whose configuration may change while it runs: a bad one changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import BayplanError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bayplan.framework.config.scheduler_config import SchedulerConfig
    from bayplan.framework.scheduler import Scheduler


@dataclass(frozen=True, slots=True, eq=False)
class Live:
    """A configuration and the scheduler made from it, which belong together; the first has generation 1."""

    config: SchedulerConfig
    scheduler: Scheduler
    generation: int


class LiveScheduler:
    """Holds the last good configuration.

    `read` makes a configuration of a document, `build` a scheduler of that; both may refuse, and only when both are
    done is anything replaced, by one assignment. A caller that decides takes `current` once and uses that to the end.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        *,
        read: Callable[[Mapping[str, Any]], SchedulerConfig],
        build: Callable[[SchedulerConfig], Scheduler],
    ) -> None:
        self._read, self._build = read, build
        config = read(document)
        self.current = Live(config, build(config), 1)
        self.last_error: BayplanError | None = None

    @property
    def config(self) -> SchedulerConfig:
        return self.current.config

    @property
    def scheduler(self) -> Scheduler:
        return self.current.scheduler

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

"""A configuration of routing that was read and has no problem, with its plugins made."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.config.scheduler_config import SchedulerConfig
    from bayplan.framework.errors import Problem
    from bayplan.framework.profile import Profile
    from bayplan.routing.flow.flow_settings import FlowSettings

OwnPolicy: TypeAlias = Literal["early", "late"]


@dataclass(frozen=True, slots=True)
class Source:
    """A data source, with its extractors by name."""

    name: str
    plugin: Any
    extractors: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class RoutingConfig:
    """Its plugins hold their state: it is for one router.

    `scheduler` has profiles, handler and `on_plugin_error`; `framework.config.scheduler_config.scheduler` makes a
    Scheduler of it. `plugins` has all plugins by name, in the order of the document, those that were added last;
    `parsers` and `admitters` are some of them, by name and in order. `flow` is None where the gate is off. `own_policy`
    says that our own policy decides instead of the profiles.
    """

    scheduler: SchedulerConfig
    plugins: Mapping[str, Any]
    parsers: Mapping[str, Any]
    detector: Any
    admitters: Mapping[str, Any] = field(default_factory=dict)
    flow: FlowSettings | None = None
    sources: tuple[Source, ...] = ()
    discovery: Any = None
    gates: Mapping[str, bool] = field(default_factory=dict)
    warnings: tuple[Problem, ...] = ()
    own_policy: OwnPolicy | None = None
    full: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def profiles(self) -> tuple[Profile, ...]:
        return self.scheduler.profiles

    def document(self) -> dict[str, Any]:
        """The native document with every default filled in; reading it gives the same configuration again."""
        return deepcopy(dict(self.full))

"""What happens to a simulated fleet: how fast it is, what it measures, and its faults at set times and by chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bayplan.control.nodes.settings import NodeSettings
from bayplan.sim.fleet.pace import Pace


class Do(StrEnum):
    """What can happen to a worker, or to replicas; docs/simulation.md describes each."""

    FAIL = "fail"
    CUT = "cut"
    FLAP = "flap"
    SLOW = "slow"
    BREAK_CARD = "break-card"
    RECLAIM = "reclaim"
    RECOVER = "recover"
    CRASH = "crash"
    HANG = "hang"


OF_PODS = frozenset({Do.CRASH, Do.HANG})
"""These happen to replicas, all others to workers."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that happens to every target whose name matches; `lasts_s` None is for ever.

    Targets are workers by name, or Pods as NAMESPACE/NAME; `*` stands for any letters.
    """

    do: Do
    target: str = "*"
    lasts_s: float | None = None
    period_s: float = 30.0
    factor: float = 2.0
    card: int = 0
    notice_s: float = 120.0


@dataclass(frozen=True, slots=True)
class Event:
    """A fault at a time after the start, and again where `every_s` is given."""

    at_s: float
    fault: Fault
    every_s: float | None = None


@dataclass(frozen=True, slots=True)
class Rate:
    """A fault by chance: how often an hour for each worker or replica that matches, one at a time."""

    per_hour: float
    fault: Fault


@dataclass(frozen=True, slots=True)
class Usage:
    """What cards in use measure: a mean, and for work with an end a swing around it with a period."""

    gpu_percent: float = 70.0
    swing_percent: float = 20.0
    period_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Scenario:
    """`cluster` is a Cluster document with the workers of the scenario; None where it brings none.

    `nodes` says how patient the node loop is with workers that are not heard, of the whole server.
    """

    name: str = "simulation"
    seed: int = 0
    pace: Pace = field(default_factory=Pace)
    usage: Usage = field(default_factory=Usage)
    nodes: NodeSettings = field(default_factory=NodeSettings)
    events: tuple[Event, ...] = ()
    rates: tuple[Rate, ...] = ()
    cluster: dict[str, Any] | None = None

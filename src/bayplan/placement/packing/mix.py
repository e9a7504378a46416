"""What workloads come, and how often: given by a configuration, or learnt from what was seen."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from bayplan.cluster.selector import Selector
from bayplan.framework.errors import InputError
from bayplan.placement.packing.demand import NO_RULE, WHOLE_MILLI, PackingDemand, demand_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from bayplan.placement.asks.ask import Ask

ENOUGH = 1000
"""Workloads that must have been seen before what was learnt is relied on."""

MOST = 500
"""Different demands that are remembered: of more, the rarest half is forgotten; the outlook follows from the others."""

LARGE = (2, 4, 8)
"""Numbers of cards that a packed cluster easily runs out of room for."""


class Mix:
    """Frequencies of demands. Not for several threads at once.

    What is learnt has a prior (`doubt`): of large numbers of cards few are seen among the first thousand workloads,
    and of workloads that insist on a rare model none, yet they are what a cluster that was packed without them cannot
    hold. It weighs less with every workload that is seen.
    """

    def __init__(self, known: Mapping[Ask, float] | None = None) -> None:
        """`known`: how often each ask comes; without it the mix is learnt by `observe`."""
        self.given = known is not None
        self.seen = 0
        self._counts: dict[PackingDemand, float] = {}
        for ask, weight in (known or {}).items():
            if not 0.0 <= weight < inf:
                raise InputError(f"{weight!r} is no frequency", place="mix", next="give a finite number, 0 or more")
            self._count(ask, weight)

    @classmethod
    def of(cls, asks: Iterable[Ask]) -> Mix:
        """The mix of these asks, known for certain."""
        counts: dict[Ask, float] = {}
        for ask in asks:
            counts[ask] = counts.get(ask, 0.0) + 1.0
        return cls(counts)

    @classmethod
    def remembered(cls, seen: int, counts: Mapping[PackingDemand, float]) -> Mix:
        """A mix that was learnt before, by another process; it goes on learning."""
        mix = cls()
        mix.seen, mix._counts = seen, dict(counts)
        return mix

    @property
    def counts(self) -> dict[PackingDemand, float]:
        """How often each demand came, in the order in which they were first seen."""
        return dict(self._counts)

    @property
    def known(self) -> bool:
        """Whether it may be relied on."""
        return self.given or self.seen >= ENOUGH

    def observe(self, ask: Ask) -> None:
        """A workload has come; one whose mix is given changes nothing."""
        if not self.given:
            self.seen += 1
            self._count(ask, 1.0)
            if len(self._counts) > MOST:
                self._forget_rarest()

    def weights(self) -> dict[PackingDemand, float]:
        """The demands with their frequencies, which sum to 1; empty where none has any. Prior ones are there with 0."""
        counts = {demand: count for demand, count in self._counts.items() if count > 0.0}
        whole = sum(counts.values())
        counts = dict.fromkeys(self._large(), 0.0) | counts if self.doubt else counts
        return {demand: count / whole for demand, count in sorted(counts.items(), key=_in_order)} if whole else {}

    @property
    def doubt(self) -> float:
        """The frequency of one workload: the margin, scaled by a prior, for demands that were not seen yet."""
        whole = sum(self._counts.values())
        return 0.0 if self.given or not whole else 1.0 / whole

    def _count(self, ask: Ask, weight: float) -> None:
        demand = demand_of(ask)
        if demand is not None:
            self._counts[demand] = self._counts.get(demand, 0.0) + weight

    def _forget_rarest(self) -> None:
        """Keep half of the demands: the most frequent ones, and of equal ones those that came last."""
        order = {demand: number for number, demand in enumerate(self._counts)}
        kept = set(sorted(order, key=lambda each: (self._counts[each], order[each]))[-MOST // 2 :])
        self._counts = {demand: count for demand, count in self._counts.items() if demand in kept}

    def _large(self) -> Iterator[PackingDemand]:
        """Large numbers of whole cards, with as much of the host for each card as whole cards came with so far."""
        cards = cpu = ram = 0.0
        for demand, count in self._counts.items():
            if demand.cards and demand.milli == WHOLE_MILLI:
                cards, cpu, ram = (
                    cards + count * demand.cards,
                    cpu + count * demand.cpu_milli,
                    ram + count * demand.ram_mib,
                )
        each = (cpu / cards, ram / cards) if cards else (0.0, 0.0)
        for number in LARGE:
            yield PackingDemand(
                int(each[0] * number), int(each[1] * number), number, WHOLE_MILLI, 0, NO_RULE, Selector(), ()
            )


def _in_order(entry: tuple[PackingDemand, float]) -> tuple[object, ...]:
    """Large demands first and similar demands side by side, independent of the order of arrival."""
    demand = entry[0]
    return (-demand.cards, -demand.milli, -demand.mib, -demand.cpu_milli, -demand.ram_mib, repr(demand[5:]))

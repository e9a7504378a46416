"""All sets of cards that a worker could give to a member, not only the one that its strategy would choose."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.cluster.booking import CardBooking
from bayplan.cluster.columns import STATE, STATIC
from bayplan.cluster.mig import MigInstance
from bayplan.cluster.worker import uid_hash
from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.choose import look
from bayplan.placement.cards.linked.linked_sets import demands
from bayplan.placement.cards.mig.instances import RUNTIME, loose_of
from bayplan.placement.cards.mig.tables import starts_of
from bayplan.placement.cards.room import holds
from bayplan.placement.cards.usable import usable_places
from bayplan.placement.decision.placed import Placed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.cluster.links import LinkMatrix
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.gangs.trial import Trial
    from bayplan.placement.gangs.worker_capacity import Question

MOST_WAYS = 256
"""Sets of cards of one worker that are looked at: eight cards that all differ have 255."""

_FIXED = tuple(spec.name for spec in STATIC if spec.per == "card")
_STATE = tuple(spec.name for spec in STATE if spec.per in ("card", "slice"))


class CardChoice(NamedTuple):
    """How a member takes cards: as its strategy chooses, exactly those at `places`, or these instances."""

    ask: Ask
    places: tuple[int, ...] | None = None
    instances: tuple[CardBooking, ...] | None = None

    def narrowed(self, trial: Trial, row: int) -> Ask:
        """The ask, limited to these cards of the worker: the same functions then work out what it takes of them."""
        if self.places is None:
            return self.ask
        cards, uid = trial.snapshot.site(row).cards.cards, uid_hash(trial.snapshot.workers[row].uid)
        return replace(self.ask, copies=1, selected=frozenset((uid, cards[place]) for place in self.places))

    def placed(self, trial: Trial, row: int, asked: Question) -> tuple[Placed, Any]:
        """What the member would hold on the worker, and its row as it is then."""
        resolver, ask = asked.resolver, self.ask
        if self.instances is None:
            value, values = resolver.resolve(self.narrowed(trial, row), trial.table, row, asked.cycle)
            return value, values
        part = resolver.part(ask, row, self.instances, asked.cycle.subject)
        after = trial.snapshot.after(row, booked=(part.booking,), table=trial.table, foreseen=True)
        return Placed(ask.tier, ask.shapes[0], (part,)), {row: after}


class CardChoices:
    """Sets of cards that a worker could give; of sets that are equal for every member of the gang, only one.

    Two cards are alike if they are in the same state and, where a member asks for linked cards, have equal links to all
    other cards.
    """

    def __init__(self, trial: Trial, asks: Sequence[Ask]) -> None:
        self._trial, self._snapshot = trial, trial.snapshot
        self._selections = [ask.selected for ask in asks if ask.selected is not None]
        self._linked = any(demands(ask) for ask in asks)
        self._known: dict[int, list[bytes]] = {}
        self.cut_off = False

    def ways(self, ask: Ask, row: int) -> Iterator[CardChoice]:
        """Every way to place a member on a worker."""
        if ask.taking is Taking.SLICES:
            found = self._instances(ask, row)
        elif ask.taking is Taking.NOTHING:
            return
        elif ask.taking is Taking.LAYERS or ask.overcommit:
            self.cut_off = True
            return
        else:
            found = self._sets(ask, row)
        for number, way in enumerate(found):
            if number == MOST_WAYS:
                self.cut_off = True
                return
            yield way

    def fixed(self, row: int) -> list[bytes]:
        """What tells the cards of a worker apart whatever is booked on them, by position."""
        known = self._known.get(row)
        if known is None:
            columns = self._trial.table.gather(_FIXED, np.array([row]))
            cards, uid = self._snapshot.site(row).cards.cards, uid_hash(self._snapshot.workers[row].uid)
            known = self._known[row] = [
                b"".join(column[0][place].tobytes() for column in columns.values())
                + bytes((uid, card) in selected for selected in self._selections)  # one byte for each selection: 0 or 1
                for place, card in enumerate(cards)
            ]
        return known

    def _states(self, row: int) -> list[bytes]:
        """What is known of each card, by position."""
        columns = self._trial.table.gather(_STATE, np.array([row]))
        return [
            fixed + b"".join(column[0][place].tobytes() for column in columns.values())
            for place, fixed in enumerate(self.fixed(row))
        ]

    def _sets(self, ask: Ask, row: int) -> Iterator[CardChoice]:
        for places in self._choices(ask, row):
            way = CardChoice(ask, tuple(places))
            if int(look(way.narrowed(self._trial, row), self._trial.table, np.array([row])).fit_shape[0]) >= 0:
                yield way

    def _choices(self, ask: Ask, row: int) -> Iterator[list[int]]:
        rows = look(ask, self._trial.table, np.array([row]))
        memory = rows.card_memory_mib[0]
        room = np.any([holds(ask, shape, rows.card_room[0], memory) for shape in ask.shapes], axis=0)
        kinds: dict[int, list[int]] = {}
        for place in np.flatnonzero(room & (rows.card_rank[0] >= 0)).tolist():
            kinds.setdefault(int(rows.card_leader[0][place]), []).append(place)
        for places in kinds.values():
            alike = self._alike(row, places)
            for count in dict.fromkeys(shape.cards for shape in ask.shapes):
                yield from _taken(alike, count)

    def _alike(self, row: int, places: Sequence[int]) -> list[list[int]]:
        """These cards in groups of equal cards."""
        states, links = self._states(row), self._links(row)
        groups: list[list[int]] = []
        for place in places:
            for group in groups:
                if states[group[0]] == states[place] and _linked_alike(links, group[0], place):
                    group.append(place)
                    break
            else:
                groups.append([place])
        return groups

    def _links(self, row: int) -> LinkMatrix | None:
        number = int(self._snapshot.table.columns["links_id"][row])
        links: LinkMatrix | None = self._snapshot.pools.links.values[number] if self._linked and number >= 0 else None
        return links

    def _instances(self, ask: Ask, row: int) -> Iterator[CardChoice]:
        """MIG instances at every start; instances of no known card are used first: they limit no other choice."""
        holding = self._snapshot.holding(row, self._trial.table, foreseen=True)
        cards, count = holding.site.cards, ask.shapes[0].cards
        usable = usable_places(ask, cards, uid_hash(self._snapshot.workers[row].uid))
        loose = min(count, loose_of(ask, holding, usable, None)[0])
        starts = {
            place: starts_of(cards.layouts[place], ask.mig or "") for place in usable if holding["card_cuttable"][place]
        }
        for cuts in _cuts(starts, self._states(row), tuple(holding["card_mig_taken"]), count - loose):
            booked = [CardBooking(None, RUNTIME, mig=MigInstance(ask.mig or ""))] * loose
            for place, start in cuts:
                card = cards.cards[place]
                booked.append(CardBooking(card.index, card.runtime, mig=MigInstance(ask.mig or "", start)))
            yield CardChoice(ask, instances=tuple(booked))


def _linked_alike(links: LinkMatrix | None, one: int, other: int) -> bool:
    """Whether two cards have equal links to all others, so that swapping them changes nothing."""
    if links is None:
        return True
    others = (place for place in range(len(links.cards)) if place not in (one, other))
    return all(links.between(one, place) == links.between(other, place) for place in others)


def _taken(alike: Sequence[Sequence[int]], count: int) -> Iterator[list[int]]:
    """The ways to take `count` cards: a number from each group of equal cards, always its first ones."""
    if not alike:
        if not count:
            yield []
        return
    first, rest = alike[0], alike[1:]
    for number in range(min(count, len(first)), -1, -1):
        if count - number <= sum(map(len, rest)):
            for others in _taken(rest, count - number):
                yield [*first[:number], *others]


def _cuts(
    starts: dict[int, dict[int, int]], states: Sequence[Any], taken: tuple[int, ...], count: int
) -> Iterator[list[tuple[int, int]]]:
    """The ways to make `count` instances, each (card, start); only the first of cards that are equal by now is cut."""
    if not count:
        yield []
        return
    seen = set()
    for place, masks in starts.items():
        if (alike := (states[place], taken[place])) in seen:
            continue
        seen.add(alike)
        for start, mask in masks.items():
            if not taken[place] & mask:
                then = (*taken[:place], taken[place] | mask, *taken[place + 1 :])
                yield from ([(place, start), *others] for others in _cuts(starts, states, then, count - 1))

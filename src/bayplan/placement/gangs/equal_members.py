"""Equal members of one workload, placed by counting: the same workers and cards as by single decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.cards.card_bookings import book_cards, book_places
from bayplan.placement.decision.bookings import NO_CARDS
from bayplan.placement.decision.placed import Placed
from bayplan.placement.decision.tuning import tuning_of
from bayplan.placement.gangs.lookahead import Copies, positions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.placement.asks.subject import Subject
    from bayplan.placement.decision.bookings import Devices
    from bayplan.placement.decision.placed import Replica
    from bayplan.placement.gangs.lookahead import Copy, CopyCards
    from bayplan.placement.gangs.trial import Trial

FEW_REPLICAS = 16
"""Up to this many are placed one by one: foreseeing copies on all workers would cost more than it saves."""


def place_equals(trial: Trial, role: SizedRole, numbers: Iterator[int], wanted: int) -> list[Replica]:
    """As many of the wanted replicas as fit in the first tier; none where they cannot be counted.

    Once the first tier has no room left it stays so, because replicas only take: the other tiers are asked then.
    """
    if wanted <= FEW_REPLICAS:  # before their asks are made, which costs as much as a decision
        return []
    ask = trial.asked(role, wanted).asks[0]
    if ask.copies > 1 or not trial.counts(role, ask):
        return []
    copies = Copies(trial.strategies, role.shape.strategy, ask, trial.table, tuning_of(role.shape))
    found: list[Replica] = []
    while len(found) < wanted and (picked := copies.pick(wanted - len(found))):
        found += take_copies(trial, copies, picked, [(role, next(numbers)) for _ in picked])
    return found


def take_copies(
    trial: Trial, copies: Copies, picked: list[Copy], members: list[tuple[SizedRole, int]]
) -> list[Replica]:
    """Book these copies, each for the member of its turn: a role, and the number of the replica."""
    ask = copies.ask
    devices = trial.strategies.devices(members[0][0].shape.strategy)
    subject = trial.subject(0, (ask,))
    found = []
    for (role, number), copy in zip(members, picked, strict=True):
        cards = copies.cards(copy.row, copy.number)
        placed = _placed(ask, devices, copy.row, cards, subject, number)
        found.append(trial.take(role, number, placed, copy.total, {}))
    copies.book(picked)
    return found


def _placed(ask: Ask, devices: Devices, row: int, taken: CopyCards, subject: Subject, replica: int) -> Placed:
    """What one copy books, for the replica of this number."""
    places, cards = positions(taken.bits), devices.cards(row)
    shape = ask.shapes[taken.shape] if places else NO_CARDS
    booked = book_places(cards, taken.places) if taken.places else book_cards(ask, shape, cards, places)
    return Placed(ask.tier, shape, (devices.part(ask, row, booked, subject, replica=replica),))

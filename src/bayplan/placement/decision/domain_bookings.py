"""The resolve step of tiers that span workers: which cards each of the domain's workers gives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.plugins import Resolution
from bayplan.placement.cards.card_bookings import book_cards, book_layers
from bayplan.placement.cards.choose import choose_number, look
from bayplan.placement.cards.layers import layer_cards
from bayplan.placement.decision.placed import Placed
from bayplan.placement.decision.worker_domains import OFFERS

if TYPE_CHECKING:
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.cycle import Cycle
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.subject import Subject
    from bayplan.placement.cards.choose import CardOrder
    from bayplan.placement.decision.bookings import Devices
    from bayplan.placement.decision.placed import WorkerShare
    from bayplan.placement.decision.worker_domains import DomainOffer


class DomainDevices:
    """Turns a domain into cards on its workers."""

    name = "domain-devices"

    def __init__(self, snapshot: Snapshot, devices: Devices, order: CardOrder) -> None:
        self._snapshot, self._devices = snapshot, devices
        self._order: CardOrder = order

    def resolve(self, ask: Ask, table: Any, row: int, cycle: Cycle) -> Resolution:
        offer = cycle.get(OFFERS, ())[row]
        subject: Subject = cycle.subject
        parts = self._layers(ask, offer, subject) if offer.layers else self._shares(ask, offer, subject)
        writes = {
            part.row: self._snapshot.after(part.row, booked=(part.booking,), table=offer.table, foreseen=True)
            for part in parts
        }
        return Resolution(Placed(ask.tier, offer.shape, tuple(parts)), writes)

    def _shares(self, ask: Ask, offer: DomainOffer, subject: Subject) -> list[WorkerShare]:
        index = np.array([row for row, _ in offer.workers], np.intp)
        rows = look(replace(ask, shapes=(replace(offer.shape, cards=1),)), offer.table, index)
        # Runtime and model in one number; + 1 because an unknown model is -1.
        kind = (rows.card_runtime_id.astype(np.int64) << 32) | (rows.card_model_id + 1)
        number = np.array([cards for _, cards in offer.workers])
        chosen = choose_number(ask, rows, offer.shape, kind == offer.kind, number, self._order, subject)
        parts = []
        for place, (row, _) in enumerate(offer.workers):
            cards = self._snapshot.site(row).cards
            booked = book_cards(ask, offer.shape, cards, np.flatnonzero(chosen[place]).tolist())
            parts.append(self._devices.part(ask, row, booked, subject))
        return parts

    def _layers(self, ask: Ask, offer: DomainOffer, subject: Subject) -> list[WorkerShare]:
        layers = ask.layers
        assert layers is not None  # noqa: S101 (only asks by layers have such offers)
        held = layer_cards.shares(layers, [free for _, _, free in offer.layers])
        left = layers.count - sum(held) + layers.kept
        parts = []
        for row, _ in offer.workers:
            mine = [(position, count) for (at, position, _), count in zip(offer.layers, held, strict=True) if at == row]
            cards = self._snapshot.site(row).cards
            booked = book_layers(ask, cards, [place for place, _ in mine], [count for _, count in mine])
            host_mib = layers.host_mib(left) if row == offer.host else 0
            number = sum(count for _, count in mine)
            parts.append(self._devices.part(ask, row, booked, subject, host_mib=host_mib, layers=number))
        return parts

"""Keep the workers with enough of every other resource that is asked for by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.byte_resources import is_in_bytes
from bayplan.cluster.events import ROOM_EVENTS
from bayplan.framework.reasons import Reasons
from bayplan.framework.twins import EVERY_ROW, Twin
from bayplan.placement.cards.copies import MANY_COPIES
from bayplan.placement.cards.distinct import everybody

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask

    Amounts = npt.NDArray[np.int64]


class ResourceFit:
    """Refuses a worker with less of a resource free than a replica asks for: `resource-short`.

    Resources are amounts by name: chips, network adapters, licences. A worker that does not offer a resource has 0 of
    it. Curable where the worker offers enough and bookings hold it. Where several are short, the first by name is
    shown.
    """

    name = "resource-fit"
    reads = ("resource_free", "pools")
    explain_reads = ("resource_offered",)
    required = True
    cured_by = ROOM_EVENTS

    def unread(self, ask: Ask) -> tuple[str, ...]:
        return () if ask.resources else ("resource_free",)

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        if not ask.resources:
            return everybody(rows.size)
        mask = np.ones(rows.size, np.bool_)
        for name, needed in ask.resources.items():
            mask &= amount_of(name, rows.resource_free, rows.pools) >= needed
        return mask

    def twin(self, ask: Ask, shared: Mapping[str, Any]) -> Twin:
        if not ask.resources:
            return EVERY_ROW
        numbers = [shared["pools"].resources.find(name) for name in ask.resources]
        places = np.array([-1 if number is None else number for number in numbers], np.int64)
        return Twin(_has_all, (places, np.array(list(ask.resources.values()), np.int64)), ("resource_free",))

    def copies(self, ask: Ask, rows: Rows) -> Amounts:
        """How many replicas the resources suffice for."""
        needed = [(name, amount) for name, amount in ask.resources.items() if amount]
        found = [amount_of(name, rows.resource_free, rows.pools) // amount for name, amount in needed]
        return np.minimum.reduce(found) if found else np.full(rows.size, MANY_COPIES)

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> list[Reasons]:
        reasons, told = [], np.zeros(refused.size, np.bool_)
        for name in sorted(ask.resources):
            needed = ask.resources[name]
            free = amount_of(name, refused.resource_free, refused.pools)
            offered = amount_of(name, refused.resource_offered, refused.pools)
            places = np.flatnonzero((free < needed) & ~told)
            told[places] = True
            if len(places):
                reasons.append(_short(name, needed, free[places], offered[places], places))
        return reasons


def _has_all(places: Amounts, needs: Amounts, free: Amounts) -> bool:
    """Whether there is enough of each; a place of -1, or behind the last one, has nothing."""
    for number in range(len(needs)):
        place = places[number]
        if (free[place] if 0 <= place < len(free) else 0) < needs[number]:
            return False
    return True


def amount_of(name: str, amounts: Amounts, pools: Any) -> Amounts:
    """The column of one resource; 0 everywhere where no worker of the cluster offers it."""
    number = pools.resources.find(name)
    if number is None or number >= amounts.shape[1]:
        return np.zeros(len(amounts), np.int64)
    return amounts[:, number]


def _short(name: str, needed: int, free: Amounts, offered: Amounts, places: npt.NDArray[np.intp]) -> Reasons:
    what, unit, offers = _plain(name), "", "offer"
    if is_in_bytes(name):
        what, unit, offers = f"MiB of {what}", " MiB", "state"
    texts = [
        f"needs {{needed}} {what}, {{free}} of {has}{unit} are free" if has else
        f"needs {{needed}} {what}, which the worker does not {offers}"
        for has in offered.tolist()
    ]  # fmt: skip
    curable = (offered >= needed).tolist()
    return Reasons("resource-short", curable=curable, unit=name, needed=needed, free=free, text=texts, places=places)


def _plain(name: str) -> str:
    """Names are the users' own: braces in them are no fields of the text."""
    return name.replace("{", "{{").replace("}", "}}")

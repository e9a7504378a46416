"""Which workers serve an ask at all that names a resource of Kubernetes, or a way of sharing cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.device_offer import DeviceKind
from bayplan.framework.reasons import Reasons
from bayplan.placement.cards.rows import some_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayplan.cluster.device_offer import DeviceOffer
    from bayplan.framework.plugins import BoolArray
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import CardRows

    Explain = Callable[[Ask, CardRows], Reasons | list[Reasons]]


def served(ask: Ask, rows: CardRows) -> BoolArray | None:
    """The rows that an ask may use; None where it may use all."""
    if ask.devices is None and ask.sharing is None:
        return None
    good = np.array([_refusal(ask, each) is None for each in rows.pools.device_offers], np.bool_)
    mask: BoolArray = good[rows.device_offer_id]
    return mask


def told_apart(ask: Ask, rows: CardRows, open_rows: BoolArray, explain: Explain, reads: Sequence[str]) -> list[Reasons]:
    """The reasons of rows that offer other devices, and beside them those of the rows that serve the ask."""
    places = np.flatnonzero(open_rows)
    if not len(places):
        return not_offered(ask, rows)
    found = explain(ask, some_rows(rows, reads, places))
    for each in (inside := found if isinstance(found, list) else [found]):
        each.places = places if each.places is None else places[each.places]
    return [*inside, *not_offered(ask, rows)]


def not_offered(ask: Ask, rows: CardRows) -> list[Reasons]:
    """Why these rows do not serve the ask, whatever is free on them.

    No numbers stand beside `gpu-count-short`: where another ask of the workload is about the row, its numbers count.
    """
    told = [_refusal(ask, each) for each in rows.pools.device_offers]
    reasons = []
    for code in dict.fromkeys(each[0] for each in told if each is not None):
        numbers = [number for number, each in enumerate(told) if each is not None and each[0] == code]
        places = np.flatnonzero(np.isin(rows.device_offer_id, numbers))
        if not len(places):
            continue
        words = [each[1] if each else "" for each in told]
        problem = [words[number] for number in rows.device_offer_id[places].tolist()]
        reason = Reasons(code, curable=False, text="{problem}", problem=problem, **_numbers(ask, code))
        reason.places = places
        reasons.append(reason)
    return reasons


def _numbers(ask: Ask, code: str) -> dict[str, Any]:
    return {"needed": ask.shapes[0].cards, "free": 0, "unit": ask.unit} if code == "resource-short" else {}


def _refusal(ask: Ask, offer: DeviceOffer) -> tuple[str, str] | None:
    """The code and the sentence for a worker that offers this; None where it serves the ask."""
    if ask.sharing is not None and offer.sharing is not ask.sharing:
        return "resource-short", f"offers no {ask.unit}: {ask.sharing} does not run on it"
    if ask.devices is None:
        return None
    if ask.devices.names_profile:
        told = f"offers its slices as {offer.resource}, not as {ask.devices.resource}"
        return ("mig-unavailable", told) if offer.kind is DeviceKind.SLICE else None
    return _other_devices(ask, ask.devices, offer)


def _other_devices(ask: Ask, devices: DeviceOffer, offer: DeviceOffer) -> tuple[str, str] | None:
    if devices.resource != offer.resource:
        return "gpu-count-short", f"offers {offer.resource}, not {devices.resource}"
    if offer.per_container is not None and ask.per_container > offer.per_container:
        most = f"a container gets at most {offer.per_container} here"
        return "gpu-count-short", f"needs {ask.per_container} places for one container; {most}"
    if (devices.kind, devices.profile) != (offer.kind, offer.profile):
        return "gpu-count-short", f"a device of it is a {offer}, not a {devices}"
    return None

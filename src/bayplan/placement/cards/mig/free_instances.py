"""MIG instances that are free on a cluster, profile by profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import STATUSES
from bayplan.cluster.mig import MASKS, profile_memory_mib
from bayplan.cluster.worker import WorkerStatus
from bayplan.placement.cards.mig.tables import existing_room, stacked

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.cluster.pools import Pools

COLUMNS = ("card_mig_id", "card_mig_taken", "card_cuttable", "loose_free", "status")


@dataclass(frozen=True, slots=True)
class FreeProfile:
    """How many instances of a profile there could be on known cards, and how many of them exist; and on none known.

    Each profile is counted by itself, as if no other were taken.
    """

    profile: str
    possible: int
    existing: int
    loose: int


def free_slices(columns: dict[str, Any], pools: Pools) -> tuple[FreeProfile, ...]:
    """Of the workers that take new work, the smallest profile first; profiles of which nothing is free are left out."""
    ready = columns["status"] == STATUSES.index(WorkerStatus.READY)
    c = {name: columns[name][ready] for name in COLUMNS}
    places = np.where(c["card_cuttable"], c["card_mig_id"], -1).astype(np.intp) * MASKS + c["card_mig_taken"]
    found = (_of(name, places, c["loose_free"], pools) for name in _names(pools))
    return tuple(each for each in found if each.possible or each.loose)


def _of(name: str, places: npt.NDArray[np.intp], loose_free: Any, pools: Pools) -> FreeProfile:
    layouts, number = pools.layouts, pools.profiles.find(name)
    existing = np.array([*(existing_room(layout, name) for layout in layouts), [0] * MASKS]).ravel()
    return FreeProfile(
        name,
        possible=int(stacked(layouts, len(layouts), name).room.take(places).sum()),
        existing=int(existing.take(places).sum()),
        loose=0 if number is None or number >= loose_free.shape[1] else int(loose_free[:, number].sum()),
    )


def _names(pools: Pools) -> list[str]:
    names = set(pools.profiles)
    for layout in pools.layouts:
        if layout.state is not None:
            names.update(each.profile.lower() for each in layout.state.slices)
            names.update(layout.geometry.by_name if layout.geometry and layout.reconfigurable else ())
    return sorted(names, key=lambda name: (profile_memory_mib(name) or 0, name))

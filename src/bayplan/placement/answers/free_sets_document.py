"""What is free on a cluster as the JSON document that commands print and programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.placement.answers.free_sets import SIZES

if TYPE_CHECKING:
    from bayplan.placement.answers.free_sets import FreeCards, FreeGpus, SetKind, SharedCard


def free_sets_document(free: FreeGpus) -> dict[str, Any]:
    """The document."""
    return {
        "kind": "Gpus",
        "models": [
            {"runtime": each.runtime, "model": each.model, "memory_mib": each.memory_mib, **_free(each)}
            for each in free.models
        ],
        "total": _free(free.total),
        "shared_cards": [_shared(card) for card in free.shared],
        "mig_slices": dict(free.mig_slices),
        "mig": [
            {"profile": each.profile, "possible": each.possible, "existing": each.existing, "no_known_card": each.loose}
            for each in free.mig
        ],
    }


def _free(free: FreeCards) -> dict[str, Any]:
    census, memory = free.census, free.memory
    return {
        "cards": census.cards,
        "whole": census.whole,
        "shared": census.shared,
        "held": census.held,
        "mig": census.mig,
        "unhealthy": census.unhealthy,
        "closed": census.closed,
        "workers_with": {str(size): count for size, count in zip(SIZES, free.workers_with, strict=True)},
        "largest": dict(free.largest),
        "sets": [_set(each) for each in free.sets],
        "free_mib": memory.free_mib,
        "stranded_mib": memory.stranded_mib,
        "largest_free_mib": memory.largest_free_mib,
        "fragmentation": memory.fragmentation,
        "places": free.places,
        "free_places": free.free_places,
    }


def _set(kind: SetKind) -> dict[str, Any]:
    islands = None if kind.islands is None else list(kind.islands)
    return {"cards": kind.cards, "nvlink_islands": islands, "workers": list(kind.workers)}


def _shared(card: SharedCard) -> dict[str, Any]:
    return {
        "worker": card.worker,
        "runtime": card.runtime,
        "index": card.index,
        "model": card.model,
        "memory_mib": card.memory_mib,
        "free_mib": card.free_mib,
        "free_compute_percent": card.free_percent,
        "places": card.places,
        "free_places": card.free_places,
    }

"""The cards of a worker, as a list or in the short form that says how many there are of one kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bayplan.cluster.gpu import Gpu
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.framework.errors import InputError
from bayplan.manifests.fields import present
from bayplan.manifests.values import capacity_mib, claim_mib, count, flag, name, text, what, word_of

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields

MOST_CARDS = 1024  # no machine has more, and each card becomes an object
CUDA = "cuda"

_HEALTHY = "healthy"
_OWN = ("index", "uuid", "observedUsed")
_health = word_of((_HEALTHY, "unhealthy"))


class Shelf:
    """The cards of a document so far, by their text: cards with the same text are read once.

    Workers with equal cards share one tuple, which a snapshot recognises by identity.
    """

    def __init__(self) -> None:
        self._lists: dict[str, tuple[Gpu, ...]] = {}
        self._cards: dict[str, Gpu] = {}

    def read(self, worker: Fields) -> tuple[Gpu, ...]:
        """The cards of a worker in their order; an index that is not given is the card's position."""
        value = worker.raw("gpus")
        if value is None:
            return ()
        written = "" if _tells_cards_apart(value) else _written(value)
        if (cards := self._lists.get(written)) is None:
            found = len(worker.findings.warnings)
            cards = self._read(worker)
            if written and not worker.broken("gpus") and len(worker.findings.warnings) == found:
                self._lists[written] = cards
        return cards

    def _read(self, worker: Fields) -> tuple[Gpu, ...]:
        found: list[Gpu] = []
        for fields in _groups(worker):
            found += self._group(fields, len(found))
            if len(found) > MOST_CARDS:
                worker.add(f"more than {MOST_CARDS:,} cards", "gpus", next="divide them over several workers")
                break
        return tuple(found)

    def _group(self, fields: Fields, position: int) -> list[Gpu]:
        written = _written([pair for pair in fields.data.items() if pair[0] not in _OWN])
        if (like := self._cards.get(written)) is not None:
            return [_again(like, fields, position)]
        warnings = len(fields.findings.warnings)
        cards = _cards(fields, position)
        if written and len(cards) == 1 and len(fields.findings.warnings) == warnings:
            self._cards[written] = cards[0]
        return cards


def _written(value: object) -> str:
    """The value as text, the key of the shelf; empty where it is too deep or too long, which its reader reports."""
    try:
        return repr(value)
    except (RecursionError, ValueError):
        return ""


def _tells_cards_apart(value: object) -> bool:
    """Whether the cards have serial numbers, so that no other worker can have the same ones."""
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and "uuid" in first


def _again(like: Gpu, fields: Fields, position: int) -> Gpu:
    """A card that equals an earlier one except for fields that differ from card to card."""
    return Gpu(
        fields.read("index", count, position),
        like.runtime,
        fields.read("uuid", text),
        like.model,
        like.memory_mib,
        like.numa,
        like.pcie_gen,
        like.healthy,
        fields.read("observedUsed", claim_mib),
        like.mig,
        like.places,
    )


def mig_instance(fields: Fields) -> MigInstance | None:
    """A MIG instance: its profile and the slice at which it begins."""
    found = fields.build(MigInstance, profile=fields.need("profile", name, "1g"), start=fields.read("start", count))
    fields.finish()
    return found


def _groups(worker: Fields) -> list[Fields]:
    value = worker.raw("gpus")
    return [worker.child("gpus")] if isinstance(value, Mapping) else worker.children("gpus")


def _card_count(value: object) -> int:
    number = count(value)
    if number > MOST_CARDS:
        raise InputError(f"{what(value)} cards are too many", next=f"write at most {MOST_CARDS}")
    return number


def _cards(fields: Fields, position: int) -> list[Gpu]:
    """Cards that differ in nothing but their index."""
    number = fields.read("count", _card_count, 1)
    index = fields.read("index", count, position)
    values = {
        "runtime": fields.read("runtime", name, CUDA),
        "uuid": fields.read("uuid", text),
        "model": fields.read("model", name),
        "memory_mib": fields.read("memory", capacity_mib),
        "numa": fields.read("numa", count),
        "pcie_gen": fields.read("pcieGen", count),
        "healthy": fields.read("health", _health, _HEALTHY) == _HEALTHY,
        "observed_used_mib": fields.read("observedUsed", claim_mib),
        "mig": _mig(fields),
        "places": fields.read("places", count),
    }
    fields.finish()
    return list(present(fields.build(Gpu, index=index + offset, **values) for offset in range(number)))


def _mig(card: Fields) -> MigState | None:
    if "mig" not in card:
        card.ignore("mig")
        return None
    fields = card.child("mig")
    slices = [mig_instance(each) for each in fields.children("slices")]
    state = fields.build(
        MigState,
        enabled=fields.read("enabled", flag, True),
        reconfigurable=fields.read("reconfigurable", flag, False),
        slices=present(slices),
    )
    fields.finish()
    return state

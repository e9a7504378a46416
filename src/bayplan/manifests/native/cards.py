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

MOST_CARDS = 1024
CUDA = "cuda"

_HEALTHY = "healthy"
_health = word_of((_HEALTHY, "unhealthy"))


def read_cards(worker: Fields, known: dict[str, tuple[Gpu, ...]]) -> tuple[Gpu, ...]:
    """The cards in their order; an index that is not given is the card's position.

    Cards that are written like those of an earlier worker are the same tuple, and are not read again.
    """
    value = worker.raw("gpus")
    if value is None:
        return ()
    if (cards := known.get(written := repr(value))) is None:
        before = len(worker.findings.warnings)
        cards = _read(worker)
        if not worker.broken and len(worker.findings.warnings) == before:
            known[written] = cards
    return cards


def _read(worker: Fields) -> tuple[Gpu, ...]:
    found: list[Gpu] = []
    for fields in _groups(worker):
        found += _cards(fields, len(found))
        if len(found) > MOST_CARDS:
            worker.add(f"more than {MOST_CARDS:,} cards", "gpus", next="divide them over several workers")
            break
    return tuple(found)


def mig_instance(fields: Fields) -> MigInstance | None:
    """A profile and where it begins."""
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

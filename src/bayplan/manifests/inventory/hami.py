"""HAMi's annotations: the cards that it registers on a Node, and what it gave to a Pod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bayplan.cluster.gpu import Gpu
from bayplan.cluster.quantities import parse_compute_milli, parse_count, shown
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.amounts import MAX_CARDS, mib_offered
from bayplan.manifests.inventory.literals import read_literal
from bayplan.manifests.inventory.node_text import annotation

if TYPE_CHECKING:
    from bayplan.manifests.inventory.node_text import NodeText

REGISTER = "hami.io/node-nvidia-register"
ALLOCATED = "hami.io/vgpu-devices-allocated"
MEMORY = "nvidia.com/gpumem"
MEMORY_PERCENT = "nvidia.com/gpumem-percentage"
CORES = "nvidia.com/gpucores"

_OLD_FIELDS = ("id", "count", "devmem", "devcore", "type", "numa", "health", "index", "mode")
"""The fields of a card in the older text form: separated by commas, each card ended by a colon."""

_FEWEST_FIELDS = 7  # the oldest versions write these; later ones append the index and the mode


class HamiRequest(NamedTuple):
    """What a container asks for on each of its cards; whole cards where it names neither memory nor a percentage."""

    cards: int = 1
    memory_mib: int | None = None
    memory_percent: int | None = None
    compute_milli: int = 0

    @property
    def shares(self) -> bool:
        return self.memory_mib is not None or self.memory_percent is not None

    def of_card(self, memory_mib: int | None) -> int | None:
        """MiB of a card of that size; None for a whole card, and where the size is unknown."""
        if self.memory_mib is not None or self.memory_percent is None:
            return self.memory_mib
        return None if memory_mib is None else memory_mib * self.memory_percent // 100


class Given(NamedTuple):
    """What HAMi gave a container of one card."""

    uuid: str
    memory_mib: int
    compute_milli: int


def registered_cards(node: NodeText) -> tuple[Gpu, ...] | None:
    """The cards of a Node on which HAMi runs, as far as they can be read; None where it does not run.

    The number that its device plugin offers counts places, so it cannot replace cards that cannot be read.
    """
    value, place = node.annotations.get(REGISTER), annotation(REGISTER)
    if not value:
        return None
    read = (node.attempt(place, _card, each) for each in node.attempt(place, _records, value) or [])
    cards = tuple(card for card in read if card is not None)
    if len({card.index for card in cards}) < len(cards):
        node.remark(place, "two cards have the same index; all cards are ignored; give each its own index")
        return ()
    return cards


def given_devices(value: str, place: str) -> tuple[Given, ...]:
    """`UUID,NVIDIA,MiB,PERCENT:;`: cards end with a colon, containers with a semicolon."""
    parts = [part for container in value.split(";") for part in container.split(":") if part.strip()]
    return tuple(_given(part, place) for part in parts)


def _given(part: str, place: str) -> Given:
    fields = [field.strip() for field in part.split(",")]
    if len(fields) < 4 or not fields[0]:
        raise InputError(f"{shown(part)} is no device", place=place, next="write UUID,NVIDIA,MiB,PERCENT:;")
    uuid = fields[0].partition("[")[0]  # a MIG instance of the card has its place in brackets behind
    return Given(uuid, parse_count(fields[2], place), parse_compute_milli(fields[3], place, rounding="up"))


def _records(value: str, place: str) -> list[object]:
    """The records of both forms: newer versions write JSON without fields that are 0 or false, older ones a text."""
    listed = read_literal(value, place) if value.lstrip().startswith("[") else _old_records(value)
    if not isinstance(listed, list):
        raise InputError(f"{shown(value)} is no list of cards", place=place, next="write a JSON list")
    if len(listed) > MAX_CARDS:
        raise InputError(f"{len(listed):,} cards on one node", place=place, next=f"write at most {MAX_CARDS:,}")
    return listed


def _old_records(value: str) -> list[object]:
    """The cards of the older form. The index is the position unless it is written; text that is no card stays text."""
    found: list[object] = []
    for position, text in enumerate(part for part in value.split(":") if part.strip()):
        fields = [field.strip() for field in text.split(",")]
        if len(fields) < _FEWEST_FIELDS:
            found.append(text)
            continue
        card: dict[str, Any] = {"index": position, **dict(zip(_OLD_FIELDS, fields, strict=False))}
        found.append(card | {"health": card["health"].casefold() == "true"})
    return found


def _zone(value: object, place: str) -> int | None:
    """The NUMA zone; drivers report a negative number where they know none."""
    zone = parse_count(value, place, minimum=-1)
    return zone if zone >= 0 else None


def _card(fields: object, place: str) -> Gpu:
    if not isinstance(fields, dict):
        step = f"write {','.join(_OLD_FIELDS[:_FEWEST_FIELDS])}:"
        raise InputError(f"{shown(fields)} is no card", place=place, next=step)
    return Gpu(
        parse_count(fields.get("index", 0), place, maximum=MAX_CARDS),
        uuid=str(fields.get("id") or "") or None,
        model=str(fields.get("type") or "") or None,
        memory_mib=mib_offered(fields["devmem"], place) if fields.get("devmem") else None,
        numa=_zone(fields.get("numa", 0), place),
        healthy=fields.get("health") is True,
        places=parse_count(fields.get("count", 1), place, minimum=1, maximum=2**20),
    )

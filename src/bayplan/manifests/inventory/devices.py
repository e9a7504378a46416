"""The annotation in which Bayplan records which cards a Pod holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cluster.booking import CardBooking
from bayplan.cluster.mig import MigInstance
from bayplan.cluster.quantities import parse_compute_milli, parse_count, parse_memory_mib, shown
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.literals import read_literal
from bayplan.manifests.inventory.node_text import annotation
from bayplan.manifests.marks import DEVICES

if TYPE_CHECKING:
    from bayplan.cluster.worker import Worker
    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.notes import Notes


def told_devices(
    entry: Entry, annotations: dict[str, str], worker: Worker, notes: Notes
) -> tuple[CardBooking, ...] | None:
    """The cards that the annotation names; None where it is absent or names none that can be read."""
    value = annotations.get(DEVICES)
    if not value:
        return None
    place = annotation(DEVICES)
    cards = notes.attempt(entry, place, _parse, value)
    if cards is None:
        return None
    known = [each for each in cards if each.card is None or worker.gpu(each.card) is not None]
    if len(known) < len(cards):
        message = f"{len(cards) - len(known)} of {len(cards)} cards are not on the node; they are left out"
        notes.add(entry, place, message, alike="no such card")
    return tuple(known)


def _parse(value: object, place: str) -> tuple[CardBooking, ...]:
    items = read_literal(value, place)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise InputError(f"{shown(value)} is no list of devices", place=place, next="write a JSON list")
    return tuple(_card(item, place) for item in items)


def _card(item: dict[str, Any], place: str) -> CardBooking:
    index, mig = item.get("index"), item.get("mig")
    memory = item.get("memory_mib", item.get("memory"))
    percent = item.get("compute_percent", item.get("computePercent"))
    headroom = item.get("headroom_mib", item.get("headroom"))
    return CardBooking(
        None if index is None else parse_count(index, place),
        str(item.get("runtime") or "cuda"),
        None if memory is None else parse_memory_mib(memory, place, rounding="up"),
        None if percent is None else parse_compute_milli(percent, place, rounding="up"),
        _instance(mig, place),
        0 if headroom is None else parse_memory_mib(headroom, place, rounding="up"),
    )


def _instance(mig: object, place: str) -> MigInstance | None:
    if mig is None:
        return None
    if isinstance(mig, str):
        return MigInstance(mig)
    if not isinstance(mig, dict) or not isinstance(mig.get("profile"), str):
        raise InputError(f"{shown(mig)} is no MIG instance", place=place, next="write {profile, start}")
    start = mig.get("start")
    return MigInstance(mig["profile"], None if start is None else parse_count(start, place))

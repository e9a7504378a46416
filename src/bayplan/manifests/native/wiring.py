"""How a worker's cards are connected: a short form such as `nvswitch`, or a list of links."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from bayplan.cluster.gpu import CardId, Gpu
from bayplan.cluster.links import LinkSpec, Wiring, wire, wire_listed
from bayplan.framework.errors import InputError
from bayplan.manifests.values import Parse, T, bandwidth_gb_per_s, count, name, one_of, what

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.links import LinkMatrix
    from bayplan.manifests.fields import Fields

_wiring = one_of(Wiring)


def read_links(worker: Fields, gpus: Sequence[Gpu]) -> LinkMatrix | None:
    """The link matrix of these cards; None where it is not given, which is not the same as PCIe."""
    value = worker.raw("links")
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        wiring = worker.read("links", _wiring)
        return None if wiring is None else _wired(wiring, gpus)
    specs = worker.each("links", _link)
    return None if worker.broken("links") else worker.attempt(lambda: wire_listed(specs, gpus))


def _wired(wiring: Wiring, gpus: Sequence[Gpu]) -> LinkMatrix:
    """Like `wire`, but the catalogue is asked once per kind of card and not for every card of a fleet."""
    return _known_wiring(wiring, tuple((gpu.runtime, gpu.index, gpu.model, gpu.pcie_gen) for gpu in gpus))


@lru_cache(maxsize=1024)
def _known_wiring(wiring: Wiring, ports: tuple[tuple[str, int, str | None, int | None], ...]) -> LinkMatrix:
    cards = [Gpu(index, runtime, model=model, pcie_gen=pcie_gen) for runtime, index, model, pcie_gen in ports]
    return wire(wiring, cards)


def _link(value: object) -> LinkSpec:
    if not isinstance(value, list | tuple) or not 3 <= len(value) <= 4:
        raise InputError(f"{what(value)} is no link", next='write [0, 1, "nvlink", 600], the last in GB/s')
    first, second, kind, *speed = value
    return LinkSpec(
        _end(first, 0),
        _end(second, 1),
        _placed(name, kind, 2),
        _placed(bandwidth_gb_per_s, speed[0], 3) if speed and speed[0] is not None else None,
    )


def _end(value: object, position: int) -> CardId | int:
    """A card by its index, or as `rocm:0` where two vendors share the index."""
    if isinstance(value, str) and ":" in value:
        runtime, _, index = value.rpartition(":")
        return CardId(runtime, _placed(count, index, position))
    return _placed(count, value, position)


def _placed(parse: Parse[T], value: object, position: int) -> T:
    try:
        return parse(value)
    except InputError as error:
        raise InputError(error.message, place=f"[{position}]", next=error.next) from None

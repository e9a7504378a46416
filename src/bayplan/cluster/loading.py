"""From workers and bookings to columns: equal cards are read once, everything else column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.claim import Site, amounts_of, claim_of
from bayplan.cluster.columns import HELD, MEMORY_SLICES, STATE, STATIC, STATUSES, UNKNOWN, ColumnSpec, domain_column
from bayplan.cluster.settlement import settle
from bayplan.cluster.topology import LEVELS
from bayplan.cluster.worker import uid_hash
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.card_set import CardSet
    from bayplan.cluster.gpu import Gpu
    from bayplan.cluster.pools import Pools
    from bayplan.cluster.worker import Worker

Columns = dict[str, Any]

_STATUS = {status: number for number, status in enumerate(STATUSES)}
_DOMAINS = frozenset(map(domain_column, LEVELS))
_CARD_STATIC = tuple(spec for spec in STATIC if spec.per == "card")


def load(workers: Sequence[Worker], bookings: Mapping[str, Sequence[Booking]], pools: Pools) -> Columns:
    """All columns of these workers but those of domains, which depend on the order of the workers."""
    _meet_profiles(workers, bookings, pools)
    _meet_resources(workers, bookings, pools)
    columns = {**_static(workers, pools), **_held(workers, pools)}
    for row, worker in enumerate(workers):
        if booked := bookings.get(worker.name):
            site = site_of(worker, pools, int(columns["cards_id"][row]))
            for booking in booked:
                _count(columns, row, site, booking)
    settle(columns)
    return {spec.name: _typed(spec, columns[spec.name]) for spec in (*STATIC, *STATE) if spec.name not in _DOMAINS}


def site_of(worker: Worker, pools: Pools, cards_id: int) -> Site:
    """A worker with the cards of that number."""
    return Site(worker, pools.cards[cards_id], pools.profiles, pools.resources)


def widths(pools: Pools, cards: int) -> dict[str, tuple[int, ...]]:
    """The shape of a row by what its columns count; never 0, so that plugins may always take a maximum."""
    width = max(1, cards)
    return {
        "worker": (),
        "card": (width,),
        "slice": (width, MEMORY_SLICES),
        "profile": (max(1, len(pools.profiles)),),
        "resource": (max(1, len(pools.resources)),),
    }


def widen(columns: Columns, shapes: dict[str, tuple[int, ...]]) -> Columns:
    """The same rows in columns for more cards, profiles or resources."""
    wider: Columns = {}
    for spec in (*STATIC, *STATE):
        if spec.name in columns:
            column = wider[spec.name] = columns[spec.name]
            if column.shape[1:] == shapes[spec.per]:
                continue
            larger = np.full((len(column), *shapes[spec.per]), spec.absent, column.dtype)
            larger[tuple(slice(0, length) for length in column.shape)] = column
            wider[spec.name] = larger
    return wider


def _meet_profiles(workers: Iterable[Worker], bookings: Mapping[str, Sequence[Booking]], pools: Pools) -> None:
    for worker in workers:
        for profile in worker.mig_slices:
            pools.profiles.number(profile.lower())
        for booking in bookings.get(worker.name, ()):
            for part in booking.cards:
                if part.card is None and part.mig is not None:
                    pools.profiles.number(part.mig.profile.lower())


def _meet_resources(workers: Iterable[Worker], bookings: Mapping[str, Sequence[Booking]], pools: Pools) -> None:
    for worker in workers:
        for name in worker.resources:
            pools.resources.number(name)
        for booking in bookings.get(worker.name, ()):
            for name in booking.resources:
                pools.resources.number(name)


def _count(columns: Columns, row: int, site: Site, booking: Booking) -> None:
    try:
        for name, at, amount in amounts_of(claim_of(site, booking)):
            columns[name][(row, *at)] += amount
    except OverflowError:
        place = f"worker {site.worker.name}"
        message = f"the bookings of {str(booking.key)!r} are too large to count"
        raise InputError(message, place=place, next="correct the booking") from None


def _static(workers: Sequence[Worker], pools: Pools) -> Columns:
    sets = _card_sets(workers, pools)
    columns: Columns = {
        "uid_hash": [uid_hash(worker.uid) for worker in workers],
        "labels_id": pools.labels.numbers(worker.labels for worker in workers),
        "taints_id": pools.taints.numbers(worker.taints for worker in workers),
        "path_id": pools.paths.numbers(worker.topology for worker in workers),
        "links_id": pools.links.numbers(worker.links for worker in workers),
        "cards_id": sets,
        "numa_id": pools.numa.numbers(worker.numa for worker in workers),
        "utilization_id": pools.utilization.numbers(worker.utilization for worker in workers),
        "cached_models_id": pools.cached_models.numbers(worker.cached_models for worker in workers),
        "services_id": pools.services.numbers(worker.services for worker in workers),
        "closes_full": [worker.closes_full for worker in workers],
        "device_offer_id": pools.device_offers.numbers(worker.device_offer for worker in workers),
        "cpu_milli": [_known(worker.cpu_milli) for worker in workers],
        "ram_mib": [_known(worker.ram_mib) for worker in workers],
        "reserved_ram_mib": [worker.reserved_ram_mib for worker in workers],
        "reserved_gpu_mib": [worker.reserved_gpu_memory_mib for worker in workers],
        "usd_per_hour": [_known(worker.usd_per_hour) for worker in workers],
        "power_watts": [_known(worker.power_watts) for worker in workers],
        "carbon_g_per_kwh": [_known(worker.carbon_g_per_kwh) for worker in workers],
        "spot": [worker.spot for worker in workers],
        "card_count": [len(worker.gpus) for worker in workers],
    }
    typed = {spec.name: _typed(spec, columns[spec.name]) for spec in STATIC if spec.name in columns}
    return {
        **typed,
        **_card_columns(typed["cards_id"], pools),
        "loose_slices": _loose(workers, pools),
        "resource_offered": _resources(workers, pools),
    }


def _card_sets(workers: Sequence[Worker], pools: Pools) -> list[int]:
    seen: dict[int, int] = {}
    numbers = []
    for worker in workers:
        number = seen.get(id(worker.gpus))  # by identity: equal workers often share one tuple, and hashing it is slow
        if number is None:
            number = seen[id(worker.gpus)] = pools.cards.number(worker.gpus)
        numbers.append(number)
    return numbers


def _card_columns(sets: Any, pools: Pools) -> Columns:
    """Each distinct set of cards becomes one row, and the workers take the row of theirs."""
    used, which = np.unique(sets, return_inverse=True)
    distinct = [pools.cards[int(number)] for number in used]
    width = max([1, *map(len, distinct)])  # never 0, as in `widths`
    columns = {}
    for spec in _CARD_STATIC:
        block = np.full((len(distinct), width), spec.absent, spec.dtype)
        for number, cards in enumerate(distinct):
            block[number, : len(cards)] = _typed(spec, _card_values(spec.name, cards, pools))
        columns[spec.name] = block[which]
    return columns


def _card_values(name: str, cards: CardSet, pools: Pools) -> Sequence[Any]:
    match name:
        case "card_model_id":
            return pools.models.numbers(cards.models)
        case "card_runtime_id":
            return pools.runtimes.numbers(card.runtime for card in cards.cards)
        case "card_mig_id":
            return pools.layouts.numbers(cards.layouts)
        case _:
            values: Sequence[Any] = getattr(cards, name.removeprefix("card_"))
            return values


def _loose(workers: Sequence[Worker], pools: Pools) -> Any:
    offered = np.zeros((len(workers), max(1, len(pools.profiles))), np.int32)
    for row, worker in enumerate(workers):
        for profile, count in worker.mig_slices.items():
            offered[row, pools.profiles.number(profile.lower())] += count
    return offered


def _resources(workers: Sequence[Worker], pools: Pools) -> Any:
    offered = np.zeros((len(workers), max(1, len(pools.resources))), np.int64)
    for row, worker in enumerate(workers):
        for name, amount in worker.resources.items() if worker.resources else ():
            offered[row, pools.resources.number(name)] = amount
    return offered


def _held(workers: Sequence[Worker], pools: Pools) -> Columns:
    """The HELD columns of workers without bookings."""
    rows, cards = len(workers), max((len(worker.gpus) for worker in workers), default=0)
    shapes = widths(pools, cards)
    columns: Columns = {spec.name: np.zeros((rows, *shapes[spec.per]), spec.dtype) for spec in HELD}
    columns["status"][:] = [_STATUS[worker.status] for worker in workers]
    columns["card_observed_mib"] = _observed(workers, shapes["card"][0])
    return columns


def _observed(workers: Sequence[Worker], width: int) -> Any:
    seen: dict[int, list[int] | None] = {}
    observed = np.full((len(workers), width), UNKNOWN, np.int64)
    for row, worker in enumerate(workers):
        key = id(worker.gpus)
        if key not in seen:
            seen[key] = _seen_on(worker.gpus)
        if values := seen[key]:
            observed[row, : len(values)] = values
    return observed


def _seen_on(gpus: Sequence[Gpu]) -> list[int] | None:
    if all(gpu.observed_used_mib is None for gpu in gpus):
        return None
    return [_known(gpu.observed_used_mib) for gpu in gpus]


def _typed(spec: ColumnSpec, values: Any) -> Any:
    try:
        return np.asarray(values).astype(spec.dtype) if isinstance(values, np.ndarray) else np.array(values, spec.dtype)
    except OverflowError:
        raise InputError("a number is too large to count", place=spec.name, next="write an amount below 2^63") from None


def _known(amount: float | None) -> Any:
    return UNKNOWN if amount is None else amount

"""Rows of workers as the functions of this floor read them, and rows that stand outside a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.cluster.pools import Pools
    from bayplan.framework.plugins import BoolArray, Column, FloatArray, IndexArray

Numbers: TypeAlias = npt.NDArray[Any]
"""Whole numbers of any width: columns are stored as narrow as their values allow."""

Masks: TypeAlias = npt.NDArray[Any]
"""Sets of cards as bits, see `masks`."""


class CardRows(Protocol):
    """The columns that choosing cards reads; columns of cards are rows × cards.

    The framework's `Rows` show the columns that a plugin declared, `GatheredRows` the columns that were gathered; a
    function here reads what its module's `READS` names.
    """

    size: int
    pools: Pools

    # What never changes: which cards a worker has.
    uid_hash: Numbers
    cards_id: Numbers
    links_id: Numbers
    numa_id: Numbers
    device_offer_id: Numbers
    reserved_gpu_mib: Numbers
    card_count: Numbers
    card_memory_mib: Numbers
    card_size_mib: Numbers
    card_model_id: Numbers
    card_runtime_id: Numbers
    card_places: Numbers
    card_healthy: BoolArray
    card_numa: Numbers
    card_mig_id: Numbers
    card_mig_enabled: BoolArray
    loose_slices: Numbers

    # What bookings change.
    cpu_free_milli: Numbers
    ram_free_mib: Numbers
    card_free_mib: Numbers
    card_free_milli: Numbers
    card_share_free_mib: Numbers
    card_share_mib: Numbers
    card_booked_mib: Numbers
    card_foreign_mib: Numbers
    card_shareable: BoolArray
    card_wholly_free: BoolArray
    card_cuttable: BoolArray
    card_bookings: Numbers
    card_wholes: Numbers
    card_shares: Numbers
    card_places_free: Numbers
    card_places_held: Numbers
    card_host_milli: Numbers
    card_host_mib: Numbers
    card_mig_taken: Numbers
    loose_free: Numbers
    loose_held: Numbers
    wholly_free: Masks

    # What producers make.
    card_usable: BoolArray
    card_rank: Numbers
    card_leader: Numbers
    card_kinds: Numbers
    kind_masks: Masks
    card_room: Numbers
    slice_key: Numbers
    loose_rank: Numbers
    fit_shape: Numbers
    fit_order: Numbers
    fit_rank: Numbers
    fit_leader: Numbers
    chosen: BoolArray
    fullness: FloatArray


class WorkerRows(CardRows, Protocol):
    """What scorers and their formulas read besides: the host, its place, its price and its measurements."""

    path_id: Numbers
    labels_id: Numbers
    taints_id: Numbers
    utilization_id: Numbers
    cpu_milli: Numbers
    ram_mib: Numbers
    usd_per_hour: FloatArray
    power_watts: FloatArray
    carbon_g_per_kwh: FloatArray
    spot: BoolArray
    status: Numbers
    bookings: Numbers
    card_observed_mib: Numbers
    cpu_booked_milli: Numbers
    ram_booked_mib: Numbers
    gpu_booked_mib: Numbers
    wholly_free_count: Numbers


class Gathering(Protocol):
    """A table, a fork of one, or rows that are only supposed."""

    @property
    def shared(self) -> Mapping[str, Any]: ...

    def gather(self, names: Iterable[str], index: IndexArray) -> dict[str, Column]: ...


class GatheredRows:
    """Rows outside a profile, one attribute per column; other columns do not exist."""

    size: int
    pools: Pools

    def __init__(self, size: int, pools: Pools, columns: Mapping[str, Column]) -> None:
        self.__dict__.update(columns)
        self.size, self.pools = size, pools

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"column {name!r} was not gathered")

    def having(self, **columns: Column) -> GatheredRows:
        """The same rows with these columns, new ones or others in their place."""
        return GatheredRows(self.size, self.pools, {**self.__dict__, **columns})


def gathered(table: Gathering, names: Iterable[str], index: IndexArray) -> GatheredRows:
    """These columns of these rows of a table."""
    return GatheredRows(len(index), table.shared["pools"], table.gather(names, index))


def shown(rows: CardRows, names: Iterable[str]) -> GatheredRows:
    """These columns of all rows, in a form in which columns can be exchanged."""
    return GatheredRows(rows.size, rows.pools, {name: getattr(rows, name) for name in names})


def some_rows(rows: CardRows, names: Iterable[str], places: IndexArray) -> GatheredRows:
    """These columns of the rows at these places."""
    columns = {name: getattr(rows, name)[places] for name in names if name != "pools"}
    return GatheredRows(len(places), rows.pools, columns)

"""Keep the workers that can give the cards: their number, model, memory and compute share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.reasons import Reasons
from bayplan.placement.ask import Taking

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.ask import Ask

    Numbers = npt.NDArray[Any]

MEMORY, COMPUTE, UNKNOWN, COUNT, MODEL = range(5)
_CODES = np.array(
    ["gpu-memory-short", "gpu-compute-short", "unknown-capacity", "gpu-count-short", "gpu-model-mismatch"], object
)
_UNITS = np.array(["MiB", "percent", "MiB", "cards", ""], object)
_TEXTS = np.array(
    [
        "needs {needed} MiB {where}, {free} MiB are free",
        "needs {needed:g} % of the compute of {cards} card(s), {free:g} % are free on the best",
        "needs {needed} MiB {where}, and the memory of {unknown} card(s) is not known",
        "needs {needed} usable card(s), has {free} of {there}",
        "has no card of model {models}",
    ],
    object,
)


class GpuFit:
    """Refuses a worker on whose cards no shape of the workload fits.

    Too few usable cards say `gpu-count-short`; enough cards, but no set of them with enough free memory
    `gpu-memory-short`, with enough free compute `gpu-compute-short`; no card of an accepted model
    `gpu-model-mismatch`. Cards whose size nobody told are `unknown-capacity`, a workload whose need nobody told is
    `unknown-need`.
    """

    name = "gpu-fit"
    reads = ("fit_order",)
    explain_reads = (
        "card_rank", "card_free_mib", "card_share_free_mib", "card_memory_mib", "card_wholly_free", "card_free_milli",
        "card_count",
    )  # fmt: skip
    required = True

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        fits: BoolArray = rows.fit_order >= 0
        return fits

    def explain(self, ask: Ask, rows: Rows, cycle: Cycle) -> Reasons:
        if ask.unknown:
            return Reasons("unknown-need", missing=ask.unknown, text="{missing}")
        return _shortage(ask, rows)


def _shortage(ask: Ask, rows: Any) -> Reasons:
    """What refused rows lack, compared with the shape that asks least of them."""
    cards, need_mib = _least_demand(ask)
    usable = rows.card_rank >= 0
    if ask.taking is Taking.WHOLE:
        usable = usable & rows.card_wholly_free
    count = usable.sum(1)
    free = -np.sort(-np.where(usable, np.maximum(rows.card_free_mib, 0), 0), axis=1)
    compute = np.where(usable, rows.card_free_milli, 0).max(1) / 10
    unknown = (usable & (rows.card_memory_mib < 0)).sum(1) * ask.rule.needs_memory
    roomy = (usable & (rows.card_share_free_mib >= need_mib)).sum(1)
    by_layers = ask.layers is not None
    has_mib = free.sum(1) if by_layers else free[:, min(cards, free.shape[1]) - 1]
    cases = [
        (rows.card_count > 0) & ~(rows.card_rank >= 0).any(1) & bool(ask.rule.models),
        count < cards,
        (unknown > 0) & (count - unknown < cards),
        (roomy >= cards) & bool(ask.compute_milli),
    ]
    which = np.select(cases, [MODEL, COUNT, UNKNOWN, COMPUTE], MEMORY)
    needed = np.array([need_mib, ask.compute_milli / 10, need_mib, cards, None], object)[which]
    has = np.stack([has_mib, compute, has_mib, count, has_mib]).astype(object)
    has[UNKNOWN] = has[MODEL] = None
    return Reasons(
        _CODES[which].tolist(),
        curable=np.isin(which, (MEMORY, COMPUTE, COUNT)).tolist(),
        unit=_UNITS[which].tolist(),
        text=_TEXTS[which].tolist(),
        needed=needed.tolist(),
        free=[_plain(each) for each in has[which, np.arange(len(which))].tolist()],
        cards=cards,
        there=rows.card_count,
        unknown=unknown,
        where="over its cards" if by_layers else "on one card" if cards == 1 else f"on each of {cards} cards",
        models=" or ".join(ask.rule.models),
    )


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _least_demand(ask: Ask) -> tuple[int, int]:
    """The fewest cards that any shape takes, and what each of them must hold; for layers, one card and all of them."""
    if ask.layers is not None:
        layers = ask.layers
        return layers.cards or 1, layers.card_mib(1 if layers.partial else layers.count)
    if not ask.shapes:
        return 1, 0
    first = min(ask.shapes, key=lambda shape: shape.cards)
    return first.cards, first.need_mib

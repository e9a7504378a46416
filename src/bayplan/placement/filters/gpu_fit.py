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


class GpuFit:
    """Refuses a worker on whose cards no shape of the workload fits.

    Too few usable cards say `gpu-count-short`; enough cards, but no set of them with enough free memory
    `gpu-memory-short`, with enough free compute `gpu-compute-short`; no card of an accepted model
    `gpu-model-mismatch`. Cards whose size nobody told are `unknown-capacity`, a workload whose need nobody told is
    `unknown-need`.
    """

    name = "gpu-fit"
    reads = (
        "fit_order", "card_rank", "card_room", "card_free_mib", "card_memory_mib", "card_wholly_free",
        "card_free_milli", "card_shareable", "card_healthy", "card_model_id", "card_count",
    )  # fmt: skip
    required = True

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        fits: BoolArray = rows.fit_order >= 0
        return fits

    def explain(self, ask: Ask, rows: Rows, cycle: Cycle) -> Reasons:
        if ask.unknown:
            return Reasons("unknown-need", missing=ask.unknown, text="what it needs is not known; give {missing}")
        return _Shortage(ask, rows).reasons()


class _Shortage:
    """What refused rows lack, compared with the shape that asks least of them."""

    def __init__(self, ask: Ask, rows: Any) -> None:
        self.ask, self.rows = ask, rows
        self.cards, self.need_mib = _least_demand(ask)
        self.usable = rows.card_rank >= 0
        if ask.taking is Taking.WHOLE:
            self.usable = self.usable & rows.card_wholly_free
        self.count = self.usable.sum(1)
        self.free = -np.sort(-np.where(self.usable, np.maximum(rows.card_free_mib, 0), 0), axis=1)

    def reasons(self) -> Reasons:
        codes, needed, free, units, texts = [], [], [], [], []
        for row in range(len(self.count)):
            code, need, have, unit, text = self._reason(row)
            codes.append(code)
            needed.append(need)
            free.append(have)
            units.append(unit)
            texts.append(text)
        curable = [code in _CURABLE for code in codes]
        return Reasons(codes, curable=curable, unit=units, needed=needed, free=free, says=texts, text="{says}")

    def _reason(self, row: int) -> tuple[str, Any, Any, str, str]:
        rows, count = self.rows, int(self.count[row])
        if self._mismatch(row):
            wanted = " or ".join(self.ask.rule.models)
            return "gpu-model-mismatch", wanted, None, "", f"no card of model {wanted}"
        if count < self.cards:
            text = f"needs {self.cards} usable card{'s' * (self.cards > 1)}, has {count} of {int(rows.card_count[row])}"
            return "gpu-count-short", self.cards, count, "cards", text
        unknown = int((self.usable[row] & (rows.card_memory_mib[row] < 0)).sum())
        if self.ask.rule.needs_memory and count - unknown < self.cards and unknown:
            return "unknown-capacity", self.need_mib, None, "MiB", f"the memory of {unknown} cards is not known"
        if (self._roomy(row)).sum() >= self.cards:
            need, have = self.ask.compute_milli / 10, int(rows.card_free_milli[row].max()) / 10
            text = f"needs {need:g} % of the compute of {self.cards} cards, {have:g} % is free on the best"
            return "gpu-compute-short", need, have, "percent", text
        return self._memory(row)

    def _memory(self, row: int) -> tuple[str, Any, Any, str, str]:
        if self.ask.layers is not None:
            total = int(self.free[row].sum())
            text = f"needs {self.need_mib} MiB over its cards, {total} MiB are free"
            return "gpu-memory-short", self.need_mib, total, "MiB", text
        have = int(self.free[row][self.cards - 1])
        each = "on one card" if self.cards == 1 else f"on each of {self.cards} cards"
        return "gpu-memory-short", self.need_mib, have, "MiB", f"needs {self.need_mib} MiB {each}, {have} MiB are free"

    def _mismatch(self, row: int) -> bool:
        models, rows = self.ask.rule.models, self.rows
        return bool(models) and int(rows.card_count[row]) > 0 and not (rows.card_rank[row] >= 0).any()

    def _roomy(self, row: int) -> Numbers:
        """Cards with the memory but not the compute."""
        if not self.ask.compute_milli:
            return np.zeros(1, np.bool_)
        rows = self.rows
        roomy: Numbers = self.usable[row] & rows.card_shareable[row] & (rows.card_free_mib[row] >= self.need_mib)
        return roomy


_CURABLE = frozenset({"gpu-count-short", "gpu-memory-short", "gpu-compute-short"})


def _least_demand(ask: Ask) -> tuple[int, int]:
    """The fewest cards that any shape takes, and what each of them must hold; for layers, one card and all of them."""
    if ask.layers is not None:
        layers = ask.layers
        return layers.cards or 1, layers.card_mib(1 if layers.partial else layers.count)
    if not ask.shapes:
        return 1, 0
    first = min(ask.shapes, key=lambda shape: shape.cards)
    return first.cards, first.need_mib

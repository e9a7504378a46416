"""Keep the workers with enough CPU and RAM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.reasons import Reasons
from bayplan.placement.distinct import everybody, told
from bayplan.placement.layer_cards import ORDER_CARDS

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.ask import Ask

    Numbers = npt.NDArray[Any]


class HostFit:
    """Refuses a worker with less free CPU or RAM than a replica asks for.

    What is not asked for, or asked for as 0, is not looked at. A worker whose CPU or RAM nobody told says
    `unknown-capacity` where it is asked for, which no eviction cures. Where CPU and RAM are both short the code is
    `ram-short`, and the sentence names both.
    """

    name = "host-fit"
    reads = ("cpu_free_milli", "ram_free_mib", "fit_order")
    required = True

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        cpu, ram = ask.cpu_milli, ram_needed(ask, rows)
        mask: BoolArray
        if not cpu:
            mask = everybody(rows.size) if ram is None else rows.ram_free_mib >= ram
        elif ram is None:
            mask = rows.cpu_free_milli >= cpu
        else:
            mask = (rows.cpu_free_milli >= cpu) & (rows.ram_free_mib >= ram)
        return mask

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        cpu, ram = ask.cpu_milli or 0, ram_needed(ask, refused)
        ram = 0 if ram is None else ram
        cpu_free, ram_free = refused.cpu_free_milli, refused.ram_free_mib
        cpu_is, ram_is = _state(cpu_free, cpu), _state(ram_free, ram)
        worst, is_ram = np.maximum(cpu_is, ram_is), ram_is >= cpu_is
        unknown = worst == _UNKNOWN
        return Reasons(
            np.where(unknown, "unknown-capacity", np.where(is_ram, "ram-short", "cpu-short")).tolist(),
            curable=~unknown,
            needed=np.where(is_ram, ram, cpu),
            free=np.where(unknown, None, np.where(is_ram, ram_free, cpu_free)),
            unit=np.where(is_ram, "MiB", "millicores").tolist(),
            text=told(cpu_is * len(_RAM) + ram_is, lambda case: _template(*divmod(case, len(_RAM)))),
            cpu=cpu,
            ram=ram,
            cpu_free=cpu_free,
            ram_free=ram_free,
        )


def ram_needed(ask: Ask, rows: Rows) -> int | Numbers | None:
    """MiB of RAM that a replica takes of each row; None where it asks for none.

    As a column it says -1 where a row needs none: such a row is neither short nor unknown. Where a model is partly
    offloaded, the layers that find no room on the cards, or that a flag keeps there, stay in RAM.
    """
    if ask.spans or ask.layers is None or not (ask.layers.partial or ask.layers.kept):
        return ask.ram_mib or None
    left = np.maximum(rows.fit_order, 0) // ORDER_CARDS + ask.layers.kept
    layer_mib = ask.layers.layer_mib
    needed: Numbers = (ask.ram_mib or 0) - (-left * layer_mib.numerator // layer_mib.denominator)
    return np.where(needed > 0, needed, -1)


_ENOUGH, _SHORT, _UNKNOWN = range(3)
_CPU = (
    "",
    "needs {cpu} millicores of CPU, {cpu_free} are free",
    "needs {cpu} millicores of CPU, and how many it has is not known",
)
_RAM = (
    "",
    "needs {ram} MiB of RAM, {ram_free} are free",
    "needs {ram} MiB of RAM, and how much it has is not known",
)


def _state(free: Numbers, needed: int | Numbers) -> Numbers:
    """Of each row: enough, short, or unknown, which columns write as a number below any need."""
    asked = np.asarray(needed) > 0
    state: Numbers = np.where(free < 0, _UNKNOWN, np.where(free < needed, _SHORT, _ENOUGH)) * asked
    return state


def _template(cpu_is: int, ram_is: int) -> str:
    return "; ".join(part for part in (_CPU[cpu_is], _RAM[ram_is]) if part)

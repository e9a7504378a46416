"""Keep the workers with enough CPU and RAM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.reasons import Reasons
from bayplan.placement.distinct import everybody, told

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.ask import Ask

    Numbers = npt.NDArray[Any]

_ENOUGH, _SHORT, _UNKNOWN = range(3)


class HostFit:
    """Refuses a worker with less free CPU or RAM than a replica asks for.

    What is not asked for, or asked for as 0, is not looked at. A worker whose CPU or RAM nobody told says
    `unknown-capacity` where it is asked for, which no eviction cures. Where CPU and RAM are both short the code is
    `ram-short`, and the sentence names both.
    """

    name = "host-fit"
    reads = ("cpu_free_milli", "ram_free_mib")
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
        cpu_free, ram_free = refused.cpu_free_milli, refused.ram_free_mib
        cpu_is = _state(cpu_free, cpu) if cpu else np.zeros(refused.size, np.intp)
        ram_is = _state(ram_free, ram) if ram is not None else np.zeros(refused.size, np.intp)
        is_ram, worst = ram_is >= cpu_is, np.maximum(cpu_is, ram_is)
        cases = cpu_is * 3 + ram_is
        return Reasons(
            told(worst * 2 + is_ram, _CODES.__getitem__),
            curable=worst == _SHORT,
            needed=np.where(is_ram, ram or 0 if ram is None else ram, cpu),
            free=np.where(worst == _UNKNOWN, None, np.where(is_ram, ram_free, cpu_free)),
            unit=told(is_ram, lambda each: "MiB" if each else "millicores"),
            text=told(cases, _template),
            cpu=cpu,
            ram=ram,
            cpu_free=cpu_free,
            ram_free=ram_free,
        )


def ram_needed(ask: Ask, rows: Rows) -> int | Numbers | None:
    """MiB of RAM that a replica takes of each row; None where it asks for none."""
    return ask.ram_mib or None


def _state(free: Numbers, needed: int | Numbers) -> Numbers:
    """_ENOUGH, _SHORT or _UNKNOWN, which is a negative number in columns and so short as well."""
    state: Numbers = (free < needed).astype(np.intp) + (free < 0)
    return state

"""Quantities as people read them, with their unit; `unknown` where there is no number."""

from __future__ import annotations

from typing import NamedTuple

_BINARY_UNITS = ("MiB", "GiB", "TiB", "PiB", "EiB")
_GIB = 1024  # in MiB


def format_mib(memory_mib: int | None) -> str:
    """`79.6 GiB` for 81559; an amount that is whole in a unit has no fraction."""
    if memory_mib is None:
        return "unknown"
    sign, amount = ("-", -memory_mib) if memory_mib < 0 else ("", memory_mib)
    scaled, power = float(amount), 0
    while scaled >= 1024 and power < len(_BINARY_UNITS) - 1:
        scaled /= 1024
        power += 1
    return f"{sign}{_figure(scaled)} {_BINARY_UNITS[power]}"


class MemoryPair(NamedTuple):
    """Two amounts of memory that one sentence compares: in the same unit, and never rounded to the same figure."""

    needed_mib: int
    free_mib: int | None

    @property
    def needed(self) -> str:
        return self._texts()[0]

    @property
    def free(self) -> str:
        return self._texts()[1]

    def _texts(self) -> tuple[str, str]:
        """In GiB with one decimal or two; in MiB where both are small, or too close to each other for that."""
        needed, free = self.needed_mib, self.free_mib
        if max(needed, free or 0) >= _GIB:
            for decimals in (1, 2):
                texts = tuple("unknown" if each is None else f"{each / _GIB:.{decimals}f} GiB" for each in self)
                if texts[0] != texts[1]:
                    return texts[0], texts[1]
        return f"{needed:,} MiB", "unknown" if free is None else f"{free:,} MiB"


def format_cpu(cpu_milli: int | None) -> str:
    """`0.5 cores` for 500."""
    if cpu_milli is None:
        return "unknown"
    return f"{cpu_milli / 1000:g} core{'' if cpu_milli == 1000 else 's'}"


class CpuPair(NamedTuple):
    """Two amounts of CPU that one sentence compares."""

    needed_milli: int
    free_milli: int | None

    @property
    def needed(self) -> str:
        return format_cpu(self.needed_milli)

    @property
    def free(self) -> str:
        return format_cpu(self.free_milli)


def _figure(amount: float) -> str:
    rounded = f"{amount:.1f}"
    return rounded.removesuffix(".0") if amount == int(amount) else rounded

"""Quantities as people read them: three figures and a unit, `unknown` for what nobody knows."""

from __future__ import annotations

_BINARY_UNITS = ("MiB", "GiB", "TiB", "PiB", "EiB")
_DURATIONS = ((86400, "d"), (3600, "h"), (60, "m"))


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


def format_cpu(cpu_milli: int | None) -> str:
    """`0.5 cores` for 500."""
    if cpu_milli is None:
        return "unknown"
    return f"{cpu_milli / 1000:g} core{'' if cpu_milli == 1000 else 's'}"


def format_bandwidth(bandwidth_gb_per_s: float | None) -> str:
    """`600 GB/s`."""
    return "unknown" if bandwidth_gb_per_s is None else f"{bandwidth_gb_per_s:g} GB/s"


def format_duration(duration_s: float | None) -> str:
    """`1d12h` for 129600: the form that `parse_duration_s` reads."""
    if duration_s is None:
        return "unknown"
    if duration_s < 60:
        return f"{duration_s:g}s"
    text, rest = "", round(duration_s)
    for length, unit in _DURATIONS:
        count, rest = divmod(rest, length)
        text += f"{count}{unit}" if count else ""
    return text + (f"{rest}s" if rest else "")


def _figure(amount: float) -> str:
    rounded = f"{amount:.1f}"
    return rounded.removesuffix(".0") if amount == int(amount) else rounded

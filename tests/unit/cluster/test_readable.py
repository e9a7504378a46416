"""Quantities as people read them."""

from __future__ import annotations

import pytest

from bayplan.cluster.readable import CpuPair, MemoryPair, format_cpu, format_mib

CASES = {
    "a fraction of a GiB": (format_mib, 81559, "79.6 GiB"),
    "whole GiB": (format_mib, 40960, "40 GiB"),
    "below a GiB": (format_mib, 512, "512 MiB"),
    "almost two": (format_mib, 2047, "2.0 GiB"),
    "terabytes": (format_mib, 1536 * 1024, "1.5 TiB"),
    "more than units go": (format_mib, 2**52, "4096 EiB"),
    "nothing": (format_mib, 0, "0 MiB"),
    "short by": (format_mib, -2048, "-2 GiB"),
    "memory unknown": (format_mib, None, "unknown"),
    "half a core": (format_cpu, 500, "0.5 cores"),
    "one core": (format_cpu, 1000, "1 core"),
    "cpu unknown": (format_cpu, None, "unknown"),
}  # fmt: skip


@pytest.mark.parametrize(("form", "value", "text"), CASES.values(), ids=CASES)
def test_form(form, value, text):
    assert form(value) == text


PAIRS = {
    "in GiB": (MemoryPair(138506, 81920), "135.3 GiB", "80.0 GiB"),
    "both are small": (MemoryPair(60, 0), "60 MiB", "0 MiB"),
    "one is small": (MemoryPair(2048, 100), "2.0 GiB", "0.1 GiB"),
    "equal to one decimal": (MemoryPair(81940, 81920), "80.02 GiB", "80.00 GiB"),
    "equal to two decimals": (MemoryPair(81921, 81920), "81,921 MiB", "81,920 MiB"),
    "free is unknown": (MemoryPair(2048, None), "2.0 GiB", "unknown"),
    "cores": (CpuPair(1000, 500), "1 core", "0.5 cores"),
    "cores unknown": (CpuPair(1000, None), "1 core", "unknown"),
}  # fmt: skip


@pytest.mark.parametrize(("pair", "needed", "free"), PAIRS.values(), ids=PAIRS)
def test_two_amounts_that_are_compared(pair, needed, free):
    assert (pair.needed, pair.free) == (needed, free)

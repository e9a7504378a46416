"""Quantities as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from bayplan.cluster.quantities import parse_duration_s
from bayplan.cluster.readable import format_bandwidth, format_cpu, format_duration, format_mib

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
    "bandwidth": (format_bandwidth, 600.0, "600 GB/s"),
    "bandwidth unknown": (format_bandwidth, None, "unknown"),
    "days and hours": (format_duration, 129600, "1d12h"),
    "an hour and a second": (format_duration, 3601, "1h1s"),
    "below a minute": (format_duration, 0.5, "0.5s"),
    "duration unknown": (format_duration, None, "unknown"),
}  # fmt: skip


@pytest.mark.parametrize(("form", "value", "text"), CASES.values(), ids=CASES)
def test_form(form, value, text):
    assert form(value) == text


@given(st.integers(0, 10**9))
def test_a_duration_reads_back(seconds):
    assert parse_duration_s(format_duration(seconds), "t") == seconds

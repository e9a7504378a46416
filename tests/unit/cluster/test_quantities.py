"""Numbers as people write them: exact, or refused with the field's path."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from bayplan.cluster.quantities import (
    MAX_MIB,
    SIZE_SUFFIXES,
    parse_bandwidth_gb_per_s,
    parse_compute_milli,
    parse_count,
    parse_cpu_milli,
    parse_duration_s,
    parse_memory_mib,
    parse_money,
    parse_number,
    parse_percent,
)
from bayplan.framework.errors import InputError

PARSERS = {
    "memory up": lambda value, place: parse_memory_mib(value, place, rounding="up"),
    "memory down": lambda value, place: parse_memory_mib(value, place, rounding="down"),
    "memory bytes": lambda value, place: parse_memory_mib(value, place, rounding="up", bare="bytes"),
    "cpu": lambda value, place: parse_cpu_milli(value, place, rounding="up"),
    "compute": lambda value, place: parse_compute_milli(value, place, rounding="up"),
    "bandwidth": parse_bandwidth_gb_per_s,
    "duration": parse_duration_s,
    "percent": parse_percent,
    "money": parse_money,
    "number": parse_number,
    "count": parse_count,
}

# value: (as a claim, as a capacity), in MiB
MEMORY = {
    "MiB as nvidia-smi reports it": ("81559Mi", 81559, 81559),
    "GiB": ("40Gi", 40960, 40960),
    "decimal gigabytes": ("40GB", 38147, 38146),
    "gigabytes as Kubernetes writes them": ("40G", 38147, 38146),
    "half a GiB": ("0.5Gi", 512, 512),
    "spelled with iB": ("1.5GiB", 1536, 1536),
    "a space before the unit": ("1.5 GiB", 1536, 1536),
    "a tenth is a tenth": ("0.1Gi", 103, 102),
    "KiB round": ("1025Ki", 2, 1),
    "kilo in both cases": ("1048576k", 1000, 1000),
    "kilo in capitals": ("1048576K", 1000, 1000),
    "bytes with a B": ("1048577B", 2, 1),
    "exa is a suffix, not an exponent": ("12E", 11444091796875, 11444091796875),
    "exbibytes": ("1Ei", 2**40, 2**40),
    "milli is a thousandth of a byte": ("100m", 1, 0),
    "bare is MiB": ("512", 512, 512),
    "bare with an exponent": ("1e3", 1000, 1000),
    "exponent in capitals": ("1E3", 1000, 1000),
    "an integer": (24576, 24576, 24576),
    "a float": (0.5, 1, 0),
    "nothing at all": ("0", 0, 0),
    "minus nothing": ("-0", 0, 0),
    "a point at the end": ("1.Gi", 1024, 1024),
    "a point in front": (".5Gi", 512, 512),
    "a plus": ("+1Gi", 1024, 1024),
}  # fmt: skip


@pytest.mark.parametrize(("value", "claim", "capacity"), MEMORY.values(), ids=MEMORY)
def test_memory(value, claim, capacity):
    assert parse_memory_mib(value, "ram", rounding="up") == claim
    assert parse_memory_mib(value, "ram", rounding="down") == capacity


def test_a_bare_number_in_a_kubernetes_document_counts_bytes():
    assert parse_memory_mib(2**20 + 1, "memory", rounding="up", bare="bytes") == 2
    assert parse_memory_mib("1e6", "memory", rounding="up", bare="bytes") == 1
    assert parse_memory_mib("1Gi", "memory", rounding="up", bare="bytes") == 1024


OTHERS = {
    "cpu in cores": (PARSERS["cpu"], 4, 4000),
    "cpu in milli": (PARSERS["cpu"], "100m", 100),
    "half a core": (PARSERS["cpu"], "0.5", 500),
    "a float of cores is what was written": (PARSERS["cpu"], 0.8, 800),
    "nano cores are rounded up": (PARSERS["cpu"], "1500000n", 2),
    "cpu in thousands": (PARSERS["cpu"], "2k", 2_000_000),
    "compute in percent": (PARSERS["compute"], 33, 330),
    "compute in eighths": (PARSERS["compute"], 12.5, 125),
    "compute with a sign": (PARSERS["compute"], "55%", 550),
    "a whole card": (PARSERS["compute"], 100, 1000),
    "compute is rounded up": (PARSERS["compute"], "33.33", 334),
    "bandwidth: the number counts": (parse_bandwidth_gb_per_s, "600Gi", 600.0),
    "bandwidth spelled out": (parse_bandwidth_gb_per_s, "31.5 GB/s", 31.5),
    "bandwidth bare": (parse_bandwidth_gb_per_s, 900, 900.0),
    "days and hours": (parse_duration_s, "1d12h", 129600.0),
    "hours and minutes": (parse_duration_s, "1h30m", 5400.0),
    "seconds": (parse_duration_s, "90s", 90.0),
    "milliseconds": (parse_duration_s, "500ms", 0.5),
    "microseconds": (parse_duration_s, "250us", 0.00025),
    "a week": (parse_duration_s, "1w", 604800.0),
    "a fraction of an hour": (parse_duration_s, "1.5h", 5400.0),
    "bare seconds": (parse_duration_s, 90, 90.0),
    "bare seconds as text": (parse_duration_s, "0.25", 0.25),
    "percent": (parse_percent, 42.5, 42.5),
    "percent as text": (parse_percent, "42.5%", 42.5),
    "money": (parse_money, 32.77, 32.77),
    "money with a dollar": (parse_money, "$32.77", 32.77),
    "a rate": (parse_number, "0.9", 0.9),
    "a count": (parse_count, 8, 8),
    "a count as text": (parse_count, "8", 8),
    "a count that went through a float": (parse_count, 8.0, 8),
}  # fmt: skip


@pytest.mark.parametrize(("parse", "value", "expected"), OTHERS.values(), ids=OTHERS)
def test_other_quantities(parse, value, expected):
    read = parse(value, "field")

    assert read == expected
    assert type(read) is type(expected)


HOSTILE = {
    "negative": -1,
    "negative text": "-1",
    "negative float": -0.5,
    "NaN": math.nan,
    "NaN as text": "nan",
    "infinity": math.inf,
    "infinity as text": "inf",
    "1e999": "1e999",
    "an exponent of a million digits of value": "1e999999999",
    "a 400-digit integer": 10**400,
    "a 400-digit text": "9" * 400,
    "a 5000-digit integer, too long for str": 10**5000,
    "a float beyond everything": 1e300,
    "true": True,
    "false": False,
    "empty": "",
    "blank": "   ",
    "nothing": None,
    "a list": [1],
    "a mapping": {"count": 1},
    "bytes": b"1",
    "a word": "lots",
    "an unknown suffix": "4X",
    "digits of another script": "٤",
    "digits with underscores": "1_000",
    "hexadecimal": "0x10",
    "two points": "1.2.3",
    "a bare suffix": "Gi",
    "a number after the suffix": "1Gi5",
}  # fmt: skip


@pytest.mark.parametrize("parse", PARSERS.values(), ids=PARSERS)
@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
def test_hostile_values_are_refused_with_the_path_of_their_field(parse, value):
    with pytest.raises(InputError) as caught:
        parse(value, "workers[3].gpus[0].memory")

    assert caught.value.place == "workers[3].gpus[0].memory"
    assert caught.value.next
    assert len(str(caught.value)) < 400


REFUSED = {
    "an exponent and a suffix": (PARSERS["memory up"], "1e3Gi", "both"),
    "the wrong case of a suffix": (PARSERS["memory up"], "40gi", "did you mean 'Gi'?"),
    "cores are no bytes": (PARSERS["cpu"], "4GB", "unknown suffix 'GB'"),
    "more than a card": (PARSERS["compute"], 101, "too large; write a number from 0 to 100"),
    "more than all": (parse_percent, 100.5, "too large"),
    "half a replica": (parse_count, 1.5, "not a whole number"),
    "a unit without a number": (parse_duration_s, "h", "not a duration"),
    "a duration that breaks off": (parse_duration_s, "1x2h", "not a duration"),
    "a duration of a thousand parts": (parse_duration_s, "1h" * 500, "too long"),
    "more than there will ever be": (PARSERS["memory up"], f"{MAX_MIB + 1}Mi", "too large"),
}  # fmt: skip


@pytest.mark.parametrize(("parse", "value", "says"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_says_what_is_wrong(parse, value, says):
    with pytest.raises(InputError, match=r"^field: ") as caught:
        parse(value, "field")

    assert says in str(caught.value)


def test_bounds_of_counts_and_numbers():
    assert parse_count(-5, "priority", minimum=-10) == -5
    assert parse_number("-0.5", "margin", minimum=-1.0) == -0.5
    with pytest.raises(InputError, match="too small"):
        parse_count(0, "gpus.count", minimum=1)
    with pytest.raises(InputError, match="too large"):
        parse_number(1.1, "hitRate", maximum=1.0)


DECIMALS = st.from_regex(r"[0-9]{1,6}(\.[0-9]{1,6})?", fullmatch=True)


@given(DECIMALS, st.sampled_from(sorted(SIZE_SUFFIXES)))
def test_sizes_are_exact(digits, suffix):
    exact = Fraction(digits) * SIZE_SUFFIXES[suffix] / 2**20
    if exact > MAX_MIB:
        return

    assert parse_memory_mib(digits + suffix, "ram", rounding="up") == math.ceil(exact)
    assert parse_memory_mib(digits + suffix, "ram", rounding="down") == math.floor(exact)


@given(st.lists(st.tuples(DECIMALS, st.sampled_from(["ms", "s", "m", "h", "d"])), min_size=1, max_size=3))
def test_durations_are_the_sum_of_their_parts(parts):
    unit_s = {"ms": Fraction(1, 1000), "s": 1, "m": 60, "h": 3600, "d": 86400}
    exact = sum(Fraction(digits) * unit_s[unit] for digits, unit in parts)
    if exact > 10**10:
        return

    assert parse_duration_s("".join(digits + unit for digits, unit in parts), "timeout") == float(exact)


def refused(parse, value):
    try:
        return parse(value, "field") < 0
    except InputError as error:
        return error.place == "field"


@given(st.text(max_size=80) | st.integers() | st.floats() | st.binary(max_size=8))
def test_whatever_comes_is_read_or_refused(value):
    assert all(refused(parse, value) or parse(value, "field") >= 0 for parse in PARSERS.values())

"""What a GPU's name means."""

from __future__ import annotations

import pytest

from bayplan.cluster.catalogue import matches, mig_geometry, resolve, words_of
from bayplan.cluster.catalogue_table import CATALOGUE
from bayplan.cluster.mig import GEOMETRIES

MATCHES = {
    "a family": ("A100", "A100-SXM4-40GB", True),
    "a family behind its maker": ("A100", "NVIDIA-A100-SXM4-80GB", True),
    "words between dashes and blanks": ("a100", "NVIDIA A100-SXM4-80GB", True),
    "a family is a word, not a beginning": ("A10", "A100-SXM4-40GB", False),
    "nor is it longer": ("A100", "A10", False),
    "L4 is no L40S": ("L4", "L40S", False),
    "A10 is no A10G": ("A10", "A10G", False),
    "H200 is no GH200": ("H200", "NVIDIA GH200 480GB", False),
    "Tesla": ("V100", "Tesla V100-SXM2-32GB", True),
    "GeForce": ("RTX 4090", "NVIDIA GeForce RTX 4090", True),
    "underscores and slashes": ("rtx_4090", "NVIDIA/GeForce/RTX-4090", True),
    "a longer name needs all its words": ("A100-80GB", "A100-SXM4-80GB", True),
    "and not another size": ("A100-80GB", "A100-SXM4-40GB", False),
    "a longer name than the product's": ("A100-SXM4-80GB", "A100", False),
    "the maker may be missing in the inventory": ("NVIDIA A100", "A100-SXM4-80GB", True),
    "a maker alone": ("NVIDIA", "NVIDIA A100-SXM4-80GB", True),
    "a maker alone that is not written": ("NVIDIA", "A100-SXM4-80GB", False),
    "brackets": ("TITAN X", "TITAN X (Pascal)", True),
    "no name at all": ("", "A100", False),
    "only separators": (" - ", "A100", False),
    "a card that nobody described": ("card-40", "CARD-40", True),
}  # fmt: skip


@pytest.mark.parametrize(("requested", "product", "expected"), MATCHES.values(), ids=MATCHES)
def test_matches(requested, product, expected):
    assert matches(requested, product) is expected


CAPABILITIES = {
    "Tesla K80": 3.7, "Tesla P100-PCIE-16GB": 6.0, "TITAN X (Pascal)": 6.1, "V100-SXM2-16GB": 7.0,
    "Tesla T4": 7.5, "A100-PCIe-80GB": 8.0, "NVIDIA A10": 8.6, "NVIDIA L4": 8.9, "L40S": 8.9,
    "NVIDIA H100 80GB HBM3": 9.0, "H200": 9.0, "NVIDIA B200": 10.0,
}  # fmt: skip


@pytest.mark.parametrize(("product", "capability"), CAPABILITIES.items(), ids=CAPABILITIES)
def test_compute_capability(product, capability):
    assert resolve(product).compute_capability == capability


NVLINK = {
    "V100-SXM2-32GB": 300,
    "A100-SXM4-40GB": 600,
    "H100-SXM5-80GB": 900,
    "H200": 900,
    "B200": 1800,
    "T4": None,
}


@pytest.mark.parametrize(("product", "gb_per_s"), NVLINK.items(), ids=NVLINK)
def test_nvlink(product, gb_per_s):
    assert resolve(product).nvlink_gb_per_s == gb_per_s


WATTS = {
    "T4": (10, 70),
    "A10": (30, 150),
    "G2": (30, 150),
    "P100": (25, 250),
    "V100M32": (30, 300),
    "G3": (50, 400),
    "A100-SXM4-40GB": (50, 400),
    "L4": (None, None),
}


@pytest.mark.parametrize(("product", "watts"), WATTS.items(), ids=WATTS)
def test_watts(product, watts):
    entry = resolve(product)

    assert (entry.idle_watts, entry.full_watts) == watts


def test_the_most_specific_line_counts():
    assert resolve("NVIDIA-A100-SXM4-80GB").name == "A100 80GB"
    assert resolve("A100").name == "A100"
    assert resolve("NVIDIA RTX 6000 Ada Generation").memory_mib == 48 * 1024
    assert resolve("Apple-M2-Ultra").runtime == "mps"
    assert resolve("CARD-40") is None


GEOMETRY = {
    "by name": ("A100-SXM4-40GB", None, "40GB"),
    "by name whatever the memory says": ("A100-SXM4-40GB", 81920, "40GB"),
    "by family and memory": ("A100", 40536, "40GB"),
    "by family and the larger memory": ("A100", 81251, "80GB"),
    "H100": ("NVIDIA H100 80GB HBM3", 81559, "80GB"),
    "H100 NVL": ("NVIDIA H100 NVL", 95830, "94GB"),
    "H200": ("NVIDIA H200", None, "141GB"),
    "B200": ("NVIDIA B200", None, "180GB"),
    "a family whose size is not known": ("A100", None, None),
    "a size that no such card has": ("A100", 24576, None),
    "a card without MIG": ("L40S", 49152, None),
    "a card that nobody described": ("CARD-40", 40960, None),
    "no name": (None, 40960, None),
}  # fmt: skip


@pytest.mark.parametrize(("product", "memory_mib", "name"), GEOMETRY.values(), ids=GEOMETRY)
def test_mig_geometry(product, memory_mib, name):
    assert mig_geometry(product, memory_mib) is GEOMETRIES.get(name)


def test_every_line_of_the_catalogue_is_found_by_its_own_name():
    assert [entry.name for entry in CATALOGUE if resolve(entry.name) is not entry] == []
    assert len({words_of(entry.name) for entry in CATALOGUE}) == len(CATALOGUE)
    assert {entry.mig_geometry for entry in CATALOGUE} - {None} == set(GEOMETRIES)

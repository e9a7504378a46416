"""Links: short forms, lists, and what no link is."""

from __future__ import annotations

import pytest

from bayplan.cluster.gpu import Gpu
from bayplan.cluster.links import Link, Wiring, wire
from bayplan.manifests.native.wiring import read_links
from unit.manifests.opened import opened, places

CARDS = tuple(Gpu(index, model="A100-SXM4-40GB", pcie_gen=4) for index in range(4))


def read(links, cards=CARDS):
    fields = opened({"links": links})
    return read_links(fields, cards), fields


def test_unknown_is_not_pcie():
    assert read(None)[0] is None


@pytest.mark.parametrize("wiring", list(Wiring))
def test_short_forms(wiring):
    assert read(str(wiring))[0] == wire(wiring, CARDS)


def test_a_list():
    links, fields = read([[0, 1, "nvlink", 50], [1, "2", "NVLink"], ["cuda:2", "cuda:3", "xgmi", "75GB/s"]])

    assert not fields.findings.errors
    assert links.between(0, 1) == Link("nvlink", 50.0)
    assert links.between(1, 2) == Link("nvlink", 600.0)
    assert links.between(3, 2) == Link("xgmi", 75.0)
    assert links.between(0, 3) == Link("pcie", 32.0)


def test_null_is_a_bandwidth_that_is_not_given():
    assert read([[0, 1, "nvlink", None]])[0] == read([[0, 1, "nvlink"]])[0]


def test_an_empty_list_is_pcie():
    assert read([])[0] == wire(Wiring.PCIE, CARDS)


def test_a_worker_of_no_cards():
    assert read("nvswitch", ())[0].links == ()


REFUSED = {
    "an unknown word": ("nvswich", ["links"]),
    "a mapping": ({"a": 1}, ["links"]),
    "no link": ([[0, 1]], ["links[0]"]),
    "text": (["0-1"], ["links[0]"]),
    "too long": ([[0, 1, "nvlink", 1, 2]], ["links[0]"]),
    "no card": ([["x", 1, "nvlink"]], ["links[0][0]"]),
    "no index": ([[0, "cuda:x", "nvlink"]], ["links[0][1]"]),
    "no kind": ([[0, 1, None]], ["links[0][2]"]),
    "no speed": ([[0, 1, "nvlink", "fast"]], ["links[0][3]"]),
    "two of them": ([[0, 1], [2]], ["links[0]", "links[1]"]),
    "a card that is not there": ([[0, 9, "nvlink"]], ["links[0][1]"]),
    "a card to itself": ([[0, 0, "nvlink"]], ["links[0]"]),
}


@pytest.mark.parametrize(("links", "where"), REFUSED.values(), ids=REFUSED)
def test_refused(links, where):
    found, fields = read(links)

    assert found is None
    assert places(fields) == where

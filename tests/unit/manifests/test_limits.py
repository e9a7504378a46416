"""The limits that users are promised."""

from __future__ import annotations

import pytest

from bayplan.manifests.limits import DOCUMENT, INVENTORY, MIB
from bayplan.manifests.reader import read_text
from unit.manifests.ordinary import block_workload


def test_what_anybody_may_hand_in():
    assert (DOCUMENT.bytes_per_document, DOCUMENT.depth, DOCUMENT.nodes) == (MIB, 64, 200_000)


def test_what_is_named_as_the_cluster():
    assert (INVENTORY.bytes_per_document, INVENTORY.nodes) == (256 * MIB, 20_000_000)


def test_yaml_may_cost_more_with_every_mib_begun():
    assert [DOCUMENT.yaml_events(size) for size in (0, MIB, MIB + 1)] == [190_000, 190_000, 500_000]


@pytest.mark.parametrize("count", [1_000, 5_000])
def test_ordinary_workloads_in_block_style_are_read(count):
    documents = read_text("".join(map(block_workload, range(count))), "f", DOCUMENT)

    assert len(documents) == count
    assert documents[-1].data["metadata"]["name"] == f"chat-{count - 1:05}"

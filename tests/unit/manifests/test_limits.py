"""The limits that users are promised."""

from __future__ import annotations

from bayplan.manifests.limits import DOCUMENT, INVENTORY, MIB


def test_what_anybody_may_hand_in():
    assert (DOCUMENT.bytes_per_document, DOCUMENT.depth, DOCUMENT.nodes) == (MIB, 64, 200_000)


def test_what_is_named_as_the_cluster():
    assert (INVENTORY.bytes_per_document, INVENTORY.nodes) == (256 * MIB, 20_000_000)


def test_yaml_may_cost_more_with_every_mib_begun():
    assert [DOCUMENT.yaml_events(size) for size in (0, MIB, MIB + 1)] == [100_000, 100_000, 200_000]

"""The names of the tiers are read in documents, and their order is the order in which they are tried."""

from bayplan.placement.asks.tier import Tier


def test_names_in_the_order_in_which_they_are_tried():
    assert list(Tier) == ["one-gpu", "one-worker", "many-workers", "partial-offload", "cpu", "as-requested"]

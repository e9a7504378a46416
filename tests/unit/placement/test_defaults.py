"""What placement brings is complete, and what is said of it is true."""

from pathlib import Path

import pytest

import bayplan.placement
from bayplan.library.registry import placement_plugins, read_config
from bayplan.placement.defaults import DEFAULT_CONFIG, HANDLER, REQUIRED_FILTERS, builtins

BY_NAME = {plugin.name: plugin for plugin in builtins()}
WHERE_NEEDED = {
    "cost_sum",
    "domain_spread",
    "spot_share",
    "within",
    "aligned_cards",
    "aligned_slices",
    "slice_keys",
    "even_cards",
    "roomy_cards",
    "even_mig_cards",
    "mig_cards",
    "fewest_cards",
    "model_preference",
    "domain_score",
    "one_card",
    "one_share",
    "whole_cards",
}
"""Plugins that placement adds by itself, where a workload needs them."""


@pytest.mark.parametrize("folder", ["filters", "scorers", "producers", "handlers"])
def test_every_plugin_can_be_named(folder):
    files = (Path(bayplan.placement.__file__).parent / folder).glob("[!_]*.py")
    names = {file.stem for file in files} - WHERE_NEEDED

    assert names <= {name.replace("-", "_") for name in BY_NAME}


def test_names_are_used_once():
    assert len(BY_NAME) == len(builtins())


def test_no_configuration_can_leave_them_out():
    profiles = [{"name": "mine", "plugins": [{"pluginRef": "max-score"}]}]
    config = {"scheduler": "placement", "plugins": [{"type": "max-score"}], "schedulingProfiles": profiles}
    (profile,) = read_config(config, placement_plugins()).profiles

    assert {each.name for each in profile.named_filters} >= set(REQUIRED_FILTERS)


def test_strategies_where_none_is_given():
    read = read_config(DEFAULT_CONFIG, placement_plugins())

    assert {each.name: {use.scorer.name: use.weight for use in each.weighted} for each in read.profiles} == {
        "pack": {"binpack": 1},
        "spread": {"spread": 1},
        "vgpu-cost-saving": {"vgpu-cost-saving": 1},
        "vgpu-high-performance": {"vgpu-high-performance": 1},
        "five-factors": {
            "gpu-availability": 30, "topology": 25, "model-cache": 20, "cost": 15, "data-locality": 10,
        },
    }  # fmt: skip
    assert HANDLER == "fit-tiers"

"""What routing brings."""

import pytest

from bayplan.framework.registry import Registry
from bayplan.routing import defaults

REGISTRY = Registry(defaults.builtins())


@pytest.mark.parametrize("plugin", REGISTRY, ids=lambda plugin: plugin.name)
def test_a_type_has_the_name_of_its_file(plugin):
    assert plugin.about.__module__.rpartition(".")[2] == plugin.name.replace("-", "_")


@pytest.mark.parametrize("plugin", REGISTRY, ids=lambda plugin: plugin.name)
def test_every_parameter_is_described(plugin):
    assert [field.name for field in plugin.parameters.fields if not field.text] == []


def test_what_configurations_get():
    names = (*defaults.REQUIRED_FILTERS, defaults.HANDLER, defaults.PICKER, defaults.DETECTOR)

    assert all(name in REGISTRY for name in names)
    assert all(REGISTRY.find(name).about.required for name in defaults.REQUIRED_FILTERS)


SHORT = ["max-score", "random", "weighted-random", "single-profile", "disagg-profile", "pd-profile", "shadow-profile"]


@pytest.mark.parametrize("name", [*SHORT, "header-profile", "data-parallel-profile"])
def test_short_names(name):
    assert REGISTRY.find(name).name.removesuffix("-picker").removesuffix("-handler") == name

import pytest

from bayplan.cluster.cluster import Cluster
from bayplan.cluster.snapshot import Snapshot
from bayplan.framework.builtins import builtins
from bayplan.framework.errors import ConfigError
from bayplan.library.registry import (
    COLUMNS,
    all_plugins,
    placement_plugins,
    plugins_for,
    read_any_config,
    read_config,
    read_routing,
    routing_plugins,
)


def test_the_registry_holds_every_built_in_of_the_framework():
    registry = placement_plugins()

    assert {plugin.name for plugin in builtins()} <= {plugin.name for plugin in registry}
    assert all(registry.find(plugin.name).origin == "built-in" for plugin in builtins())


def test_each_call_builds_a_registry_of_its_own():
    registry = placement_plugins()
    registry.register(type("Extra", (), {"name": "extra", "pick": lambda self, totals, want, cycle: [0]}))

    assert "extra" in registry
    assert "extra" not in placement_plugins()


def test_the_columns_of_placement_are_those_of_a_snapshot():
    assert COLUMNS["placement"] == Snapshot.of(Cluster()).table.schema


class Reader:
    """Scores by a column that may not be there."""

    name = "reader"

    def __init__(self, column: str) -> None:
        self.reads = (column,)

    def score(self, ask, rows, cycle):
        return getattr(rows, self.reads[0])


def _read(scheduler, column):
    known = placement_plugins()
    known.register(Reader)
    profile = {"name": "only", "plugins": [{"pluginRef": "reader"}, {"pluginRef": "max-score"}]}
    plugins = [{"type": "reader", "parameters": {"column": column}}, {"type": "max-score"}]
    return read_config({**scheduler, "plugins": plugins, "schedulingProfiles": [profile]}, known)


def test_a_configuration_may_read_the_columns_of_its_scheduler():
    assert _read({"scheduler": "placement"}, "cpu_free_milli").scheduler == "placement"


def test_a_configuration_may_not_read_a_column_that_its_scheduler_has_not():
    with pytest.raises(ConfigError, match="cpu_fre_milli"):
        _read({"scheduler": "placement"}, "cpu_fre_milli")


def test_a_configuration_of_no_known_scheduler_may_read_anything():
    assert _read({}, "moons").scheduler == ""


def test_an_unknown_scheduler_is_answered_with_the_nearest():
    with pytest.raises(ConfigError, match="did you mean 'placement'"):
        _read({"scheduler": "placemnt"}, "cpu_free_milli")


@pytest.mark.parametrize("document", [None, [], "text", 3], ids=repr)
def test_what_is_no_mapping_is_a_config_error(document):
    with pytest.raises(ConfigError):
        read_config(document, placement_plugins())


def test_the_registry_of_all_holds_the_plugins_of_every_scheduler():
    names = {each.name for each in all_plugins()}

    assert names == {each.name for known in (placement_plugins(), routing_plugins()) for each in known}


def test_a_name_means_a_type_before_it_means_an_alias():
    assert placement_plugins().find("max-score-picker").name == "max-score"
    assert routing_plugins().find("max-score").name == "max-score-picker"
    assert [all_plugins().find(name).name for name in ("max-score", "max-score-picker")] == [
        "max-score",
        "max-score-picker",
    ]


SCHEDULERS = {
    "llm-d's kind": ({"kind": "EndpointPickerConfig"}, "queue-scorer", "binpack"),
    "routing": ({"scheduler": "routing"}, "queue-scorer", "binpack"),
    "placement": ({"scheduler": "placement"}, "binpack", "queue-scorer"),
    "none": ({}, "binpack", "queue-scorer"),
}


@pytest.mark.parametrize(("document", "known", "unknown"), SCHEDULERS.values(), ids=SCHEDULERS)
def test_each_scheduler_has_its_plugins(document, known, unknown):
    registry = plugins_for(document)

    assert known in registry
    assert unknown not in registry


def test_a_configuration_of_any_scheduler():
    assert read_any_config({"scheduler": "routing"}).document() == read_routing({"scheduler": "routing"}).document()
    assert read_any_config(PLACEMENT, placement_plugins()).scheduler == "placement"


PLACEMENT = {
    "scheduler": "placement",
    "plugins": [{"type": "max-score"}],
    "schedulingProfiles": [{"name": "only", "plugins": [{"pluginRef": "max-score"}]}],
}

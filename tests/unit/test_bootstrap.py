from bayplan import bootstrap
from bayplan.framework.builtins import builtins


def test_the_registry_holds_every_built_in_of_the_framework():
    registry = bootstrap.registry()

    assert {plugin.name for plugin in builtins()} <= {plugin.name for plugin in registry}
    assert all(registry.find(plugin.name).origin == "built-in" for plugin in builtins())


def test_each_call_builds_a_registry_of_its_own():
    registry = bootstrap.registry()
    registry.register(type("Extra", (), {"name": "extra", "pick": lambda self, totals, want, cycle: [0]}))

    assert "extra" in registry
    assert "extra" not in bootstrap.registry()

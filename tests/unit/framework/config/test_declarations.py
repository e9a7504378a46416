"""What can be wrong with an entry of `plugins`."""

from __future__ import annotations

import pytest

from unit.framework.pantry import assert_one_problem, plugin, put

PROBLEMS = {
    "plugin no mapping": (
        put(["plugins", 3], "max-score"),
        "plugins[3]",
        "'max-score' is not a mapping",
        "write it as {name: value}",
    ),
    "no type": (
        put(["plugins", 3], {"name": "x"}),
        "plugins[3].type",
        "is missing",
        "give a name",
    ),
    "empty name": (
        plugin({"type": "sample", "name": ""}),
        "plugins[3].name",
        "'' is not a name",
        "write text that is not empty",
    ),
    "unknown type": (
        plugin({"type": "sampel"}, {"pluginRef": "sampel"}),
        "plugins[3].type",
        "no plugin is called 'sampel'",
        "did you mean 'sample'?",
    ),
    "duplicate name": (
        plugin({"type": "sample", "name": "queue"}),
        "plugins[3].name",
        "'queue' is the name of plugins[1] too",
        "give one of them another name",
    ),
    "duplicate type": (
        plugin({"type": "calm"}),
        "plugins[3].name",
        "'calm' is the name of plugins[2] too",
        "give one of them another name",
    ),
    "unknown parameter": (
        put(["plugins", 1, "parameters", "mst"], 1),
        "plugins[1].parameters.mst",
        "there is no field 'mst'",
        "did you mean 'most'?",
    ),
    "snake case": (
        put(["plugins", 2, "parameters"], {"per_row": 1}),
        "plugins[2].parameters.per_row",
        "there is no field 'per_row'",
        "did you mean 'perRow'?",
    ),
    "wrong parameter type": (
        put(["plugins", 1, "parameters", "most"], "2"),
        "plugins[1].parameters.most",
        "'2' is not a whole number",
        "write one such as 3",
    ),
    "refused by plugin": (
        put(["plugins", 1, "parameters", "most"], -1),
        "plugins[1].parameters.most",
        "-1 is below zero",
        "give 0 or more",
    ),
    "refused by built-in": (
        plugin({"type": "sample", "parameters": {"count": 0}}, {"pluginRef": "sample"}),
        "plugins[3].parameters.count",
        "0 rows are no sample",
        "keep at least 1",
    ),
    "parameter deep down": (
        put(["plugins", 2, "parameters"], {"shares": {"a": True}}),
        "plugins[2].parameters.shares.a",
        "true is not a finite number",
        "write one such as 0.5",
    ),
    "plugin that raises": (
        plugin({"type": "explosive"}, {"pluginRef": "explosive"}),
        "plugins[3].parameters",
        "KeyError: 'fuse'",
        "check the parameters",
    ),
    "plugin without reads": (
        plugin({"type": "careless"}, {"pluginRef": "careless"}),
        "plugins[3].type",
        "the plugin 'careless' does not say what it reads: None",
        "its author adds `reads = (…)`",
    ),
}


@pytest.mark.parametrize(("change", "place", "message", "step"), PROBLEMS.values(), ids=PROBLEMS)
def test_one_problem(change, place, message, step):
    assert_one_problem(change, place, message, step)

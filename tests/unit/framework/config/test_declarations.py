"""What can be wrong with an entry of `plugins`."""

from __future__ import annotations

import pytest

from bayplan.framework.config.declarations import Declarations
from bayplan.framework.config.findings import Findings
from bayplan.framework.config.place import Place
from bayplan.framework.errors import InputError
from bayplan.framework.registry import Registry
from unit.framework.pantry import Calm, assert_one_problem, plugin, put

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


class Strict:
    name = "strict"
    reads = ()

    def __init__(self, low: int = 0, high: int = 9, names: dict[str, int] | None = None) -> None:
        if low < 0:
            raise InputError(f"{low} is below 0", place="low", next="give more")
        if high > 9:
            raise InputError(f"{high} is above 9", place="high", next="give less")
        for name, number in (names or {}).items():
            if number < 0:
                raise InputError(f"{number} is below 0", place=f"names.{name}", next="give more")
        if low > high:
            raise InputError(f"{low} is above {high}", next="swap them")

    def score(self, ask, rows, cycle):
        return [0.0] * rows.size


def declared(*entries):
    findings = Findings()
    plugins = Declarations(Registry([Strict, Calm]))
    plugins.read(entries, findings)
    return plugins, [str(each) for each in findings.problems]


REFUSED = {
    "each field by itself": (
        {"low": -1, "high": 10},
        ["low: -1 is below 0; give more", "high: 10 is above 9; give less"],
    ),
    "one that could not be read": (
        {"low": "a", "high": 10},
        ["low: 'a' is not a whole number; …", "high: 10 is above 9; …"],
    ),
    "inside a field": ({"names": {"a": -3}}, ["names.a: -3 is below 0; give more"]),
    "all of them together": ({"low": 7, "high": 3}, ["7 is above 3; swap them"]),
}


@pytest.mark.parametrize(("given", "wanted"), REFUSED.values(), ids=REFUSED)
def test_a_refused_parameter_does_not_hide_the_others(given, wanted):
    _, found = declared({"type": "strict", "parameters": given})

    assert len(found) == len(wanted)
    for problem, told in zip(found, wanted, strict=True):
        dot = "." if told.partition(":")[0] in ("low", "high", "names.a") else ": "
        assert problem.startswith(f"plugins[0].parameters{dot}{told.removesuffix('…')}")


def test_what_was_given_is_kept_beside_what_could_be_read():
    plugins, _ = declared({"type": "strict", "parameters": {"low": -1}})

    (strict,) = plugins
    assert (strict.given, strict.plugin) == ({"low": -1}, None)


def test_an_entry_that_is_written_elsewhere():
    plugins, _ = declared({"type": "strict"})
    findings = Findings()
    added = plugins.include(plugins.registry.find("strict"), {"low": -1}, Place(("old",)), findings)

    assert added.name == "strict-2"
    assert [each.place for each in findings.problems] == ["old.low"]


def test_an_entry_by_the_name_of_its_type():
    plugins, _ = declared({"type": "calm", "name": "strict"})
    strict = plugins.registry.find("strict")

    assert plugins.ensure(strict, "scorer").type.name == "calm"
    assert plugins.ensure(strict, "picker").name == "strict-2"

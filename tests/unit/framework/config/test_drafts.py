"""What can be wrong with an entry of `schedulingProfiles`."""

from __future__ import annotations

import pytest

from bayplan.framework.config.declarations import Declarations
from bayplan.framework.config.drafts import STANDING, ProfileRules, read_drafts
from bayplan.framework.config.findings import Findings
from bayplan.framework.config.scheduler_config import scheduler
from bayplan.framework.list_table import ListTable
from unit.framework.pantry import (
    PROFILE,
    SECOND,
    USES,
    all_of,
    assert_one_problem,
    changed,
    plugin,
    put,
    read,
    registry,
    removed,
)

PROBLEMS = {
    "no profile": (
        put(["schedulingProfiles"], []),
        "schedulingProfiles",
        "there is no profile",
        "add one: {name: default, plugins: […]}",
    ),
    "profile no mapping": (
        put(["schedulingProfiles"], [None]),
        "schedulingProfiles[0]",
        "null is not a mapping",
        "write it as {name: value}",
    ),
    "profile without name": (
        removed([*PROFILE, "name"]),
        "schedulingProfiles[0].name",
        "is missing",
        "give a name",
    ),
    "profile's name twice": (
        all_of(put(["schedulingProfiles", 1], {**SECOND, "name": "default"}), plugin({"type": "in-turn"})),
        "schedulingProfiles[1].name",
        "'default' is the name of schedulingProfiles[0] too",
        "give one of them another name",
    ),
    "dangling reference": (
        put([*USES, 0, "pluginRef"], "quue"),
        "schedulingProfiles[0].plugins[0].pluginRef",
        "no entry of `plugins` is called 'quue'",
        "did you mean 'queue'?",
    ),
    "not declared": (
        put([*USES, 0, "pluginRef"], "sample"),
        "schedulingProfiles[0].plugins[0].pluginRef",
        "no entry of `plugins` is called 'sample'",
        "declare it: {type: sample}",
    ),
    "no picker": (
        removed([*USES, 2]),
        "schedulingProfiles[0].plugins",
        "there is no picker",
        "add one, as in {pluginRef: max-score}",
    ),
    "no plugins": (
        removed(USES),
        "schedulingProfiles[0].plugins",
        "there is no picker",
        "add one",
    ),
    "two pickers": (
        plugin({"type": "random"}, {"pluginRef": "random"}),
        "schedulingProfiles[0].plugins[3].pluginRef",
        "'random' is a second picker beside 'max-score'",
        "a profile has one picker: remove one of them",
    ),
    "two resolvers": (
        all_of(plugin({"type": "keep"}, {"pluginRef": "keep"}), plugin({"type": "hold"}, {"pluginRef": "hold"})),
        "schedulingProfiles[0].plugins[4].pluginRef",
        "'hold' is a second resolver beside 'keep'",
        "a profile has one resolver: remove one of them",
    ),
    "same plugin twice": (
        put([*USES, 2], {"pluginRef": "calm"}),
        "schedulingProfiles[0].plugins[2].pluginRef",
        "'calm' is in this profile twice",
        "remove one, or declare a second plugin",
    ),
    "producer in profile": (
        plugin({"type": "doubling"}, {"pluginRef": "doubling"}),
        "schedulingProfiles[0].plugins[3].pluginRef",
        "'doubling' is a producer, which is not part of a profile",
        "remove the reference: it runs wherever its columns are read",
    ),
    "handler in profile": (
        plugin({"type": "in-turn"}, {"pluginRef": "in-turn"}),
        "schedulingProfiles[0].plugins[3].pluginRef",
        "'in-turn' is a handler, which is not part of a profile",
        "write profileHandler: {pluginRef: in-turn}",
    ),
    "source in profile": (
        plugin({"type": "shelves"}, {"pluginRef": "shelves"}),
        "schedulingProfiles[0].plugins[3].pluginRef",
        "'shelves' is a source, which is not part of a profile",
        "write candidates: shelves",
    ),
    "filter with weight": (
        put([*USES, 0, "weight"], 1),
        "schedulingProfiles[0].plugins[0].weight",
        "'queue' is a filter, and only scorers have a weight",
        "remove the weight",
    ),
    "picker with level": (
        put([*USES, 2, "level"], 1),
        "schedulingProfiles[0].plugins[2].level",
        "'max-score' is a picker, and only scorers have a level",
        "remove the level",
    ),
    "weight not finite": (
        put([*USES, 1, "weight"], float("inf")),
        "schedulingProfiles[0].plugins[1].weight",
        "inf is not a finite number",
        "write one such as 0.5",
    ),
    "weight not a number": (
        put([*USES, 1, "weight"], True),
        "schedulingProfiles[0].plugins[1].weight",
        "true is not a finite number",
        "write one such as 0.5",
    ),
    "weight too large": (
        put([*USES, 1, "weight"], 10**400),
        "schedulingProfiles[0].plugins[1].weight",
        "a number of more than 60 digits is not a finite number",
        "write one such as 0.5",
    ),
    "level not whole": (
        put([*USES, 1, "level"], 1.5),
        "schedulingProfiles[0].plugins[1].level",
        "1.5 is not a whole number",
        "write one such as 3",
    ),
}


@pytest.mark.parametrize(("change", "place", "message", "step"), PROBLEMS.values(), ids=PROBLEMS)
def test_one_problem(change, place, message, step):
    assert_one_problem(change, place, message, step)


def test_a_resolver_stands_in_a_profile():
    config = read(changed(plugin({"type": "keep"}, {"pluginRef": "keep"})))
    table = ListTable(static={"colour": ["red"]}, state={"waiting": [0]}, keys=["jar"])

    assert scheduler(config, table=table).schedule("x").picked[0].resolution.value == "jar"


def test_levels_reach_the_profile():
    document = changed(
        all_of(plugin({"type": "calm", "name": "calmer"}, {"pluginRef": "calmer", "level": -2, "weight": 0.5}))
    )
    weighted = read(document).profiles[0].weighted

    assert [(each.key, each.weight, each.level) for each in weighted] == [("calm", 2.0, 0), ("calmer", 0.5, -2)]


LENIENT = ProfileRules(standing=(*STANDING, "producer"), lenient=True)


def lenient(*uses):
    findings = Findings()
    plugins = Declarations(registry())
    plugins.read(
        [{"type": name} for name in ("calm", "doubling", "shelves", "in-turn", "max-score", "random")], findings
    )
    drafts = read_drafts([{"name": "a", "plugins": list(uses)}], plugins, findings, LENIENT)
    return drafts[0], [each.message for each in findings.problems], [each.message for each in findings.warnings]


TOLERATED = {
    "no picker": ([{"pluginRef": "calm"}], [], []),
    "a producer": ([{"pluginRef": "doubling"}], [], []),
    "a weight of a picker": ([{"pluginRef": "random", "weight": 3}], [], []),
    "another kind": ([{"pluginRef": "shelves"}], [], ["'shelves' is a source, which is not part of a profile"]),
    "a handler": ([{"pluginRef": "in-turn"}], ["'in-turn' is a handler, which is not part of a profile"], []),
    "two pickers": (
        [{"pluginRef": "random"}, {"pluginRef": "max-score"}],
        ["'max-score' is a second picker beside 'random'"],
        [],
    ),
}


@pytest.mark.parametrize(("uses", "problems", "warnings"), TOLERATED.values(), ids=TOLERATED)
def test_a_lenient_scheduler(uses, problems, warnings):
    draft, *found = lenient(*uses)

    assert found == [problems, warnings]
    assert [use.plugin.name for use in draft.uses] == [each["pluginRef"] for each in uses]

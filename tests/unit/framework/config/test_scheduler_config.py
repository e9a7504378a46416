"""A table of everything that can be wrong with a configuration, and what a good one becomes."""

from __future__ import annotations

import pytest

from bayplan.framework.builtins import builtins
from bayplan.framework.config.scheduler_config import Additions, read_config, scheduler
from bayplan.framework.errors import ConfigError
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.list_table import ListTable
from bayplan.framework.registry import Registry
from unit.framework.pantry import (
    GOOD,
    PANTRY,
    PROFILE,
    SECOND,
    USES,
    Calm,
    InTurn,
    Short,
    all_of,
    assert_one_problem,
    changed,
    plugin,
    problems,
    put,
    read,
    registry,
    removed,
)

PROBLEMS = {
    "wrong apiVersion": (
        put(["apiVersion"], "v1"),
        "apiVersion",
        "'v1' is not one of bayplan.io/v1alpha1",
        "there are: bayplan.io/v1alpha1",
    ),
    "wrong kind": (
        put(["kind"], "SchedulerConfg"),
        "kind",
        "'SchedulerConfg' is not one of SchedulerConfig",
        "did you mean 'SchedulerConfig'?",
    ),
    "unknown field": (
        put(["plugns"], []),
        "plugns",
        "there is no field 'plugns'",
        "did you mean 'plugins'?",
    ),
    "field deep down": (
        put([*USES, 1, "wieght"], 1),
        "schedulingProfiles[0].plugins[1].wieght",
        "there is no field 'wieght'",
        "did you mean 'weight'?",
    ),
    "odd field name": (
        put(["a.b"], 1),
        '["a.b"]',
        "there is no field 'a.b'",
        "there are: apiVersion",
    ),
    "field name no text": (
        put([*PROFILE, 5], 1),
        "schedulingProfiles[0]",
        "the name 5 is not text",
        "put it in quotes",
    ),
    "metadata no mapping": (
        put(["metadata"], 3),
        "metadata",
        "3 is not a mapping",
        "write it as {name: value}",
    ),
    "plugins no list": (
        put(["plugins"], {}),
        "plugins",
        "a mapping is not a list",
        "write it as [a, b]",
    ),
    "wrong onPluginError": (
        put(["onPluginError"], "ignore"),
        "onPluginError",
        "'ignore' is not one of fail | skip",
        "there are: fail, skip",
    ),
    "handler not declared": (
        put(["profileHandler"], {"pluginRef": "single-profile"}),
        "profileHandler.pluginRef",
        "no entry of `plugins` is called 'single-profile'",
        "declare it: {type: single-profile}",
    ),
    "handler is none": (
        put(["profileHandler"], {"pluginRef": "calm"}),
        "profileHandler.pluginRef",
        "'calm' is a scorer, not a handler",
        "handlers are: in-turn, single-profile",
    ),
    "handler without ref": (
        put(["profileHandler"], {}),
        "profileHandler.pluginRef",
        "is missing",
        "give a name",
    ),
    "two handlers": (
        all_of(plugin({"type": "in-turn"}), plugin({"type": "single-profile"})),
        "plugins[4]",
        "'in-turn' and 'single-profile' are handlers, and a scheduler has one",
        "keep the one that profileHandler should name",
    ),
    "two, one chosen": (
        all_of(
            plugin({"type": "in-turn"}),
            plugin({"type": "single-profile"}),
            put(["profileHandler"], {"pluginRef": "in-turn"}),
        ),
        "plugins[4]",
        "'in-turn' and 'single-profile' are handlers, and a scheduler has one",
        "keep the one",
    ),
    "several profiles": (
        put(["schedulingProfiles", 1], SECOND),
        "profileHandler",
        "2 profiles, and nothing says which of them runs next",
        "declare a handler under plugins and name it",
    ),
    "unfit handler": (
        all_of(put(["schedulingProfiles", 1], SECOND), plugin({"type": "single-profile"})),
        "profileHandler",
        "'single-profile' runs the only profile, but there are 2",
        "change the profiles or the handler",
    ),
}


@pytest.mark.parametrize(("change", "place", "message", "step"), PROBLEMS.values(), ids=PROBLEMS)
def test_one_problem(change, place, message, step):
    assert_one_problem(change, place, message, step)


def test_all_problems_at_once_in_the_order_of_their_lines():
    document = changed(
        all_of(
            put(["plugns"], []),
            put([*USES, 1, "weight"], "two"),
            put(["plugins", 1, "parameters", "most"], None),
            put(["plugins", 0, "type"], "max-scor"),
        )
    )

    assert [each.place for each in problems(document)] == [
        "plugins[0].type",
        "plugins[1].parameters.most",
        "schedulingProfiles[0].plugins[1].weight",
        "schedulingProfiles[0].plugins[2].pluginRef",
        "plugns",
    ]


def test_a_hostile_document_is_given_up_after_a_hundred_problems():
    document = changed(put(["plugins"], [{"type": f"x{index}"} for index in range(5000)]))

    assert len(problems(document)) == 100


@pytest.mark.parametrize("document", [None, [], "text", 3])
def test_a_document_is_a_mapping(document):
    with pytest.raises(ConfigError) as caught:
        read_config(document, registry())

    assert caught.value.place == "document"


def test_without_lines_problems_have_none():
    with pytest.raises(ConfigError) as caught:
        read_config({"plugins": 3}, registry())

    assert [(each.place, each.line) for each in caught.value.problems] == [
        ("plugins", None),
        ("schedulingProfiles", None),
    ]


def test_a_good_one_decides():
    config = read(GOOD)
    table = ListTable(static={"colour": ["red"] * 3}, state={"waiting": [3, 1, 2]})

    outcome = scheduler(config, table=table).schedule("x", explained=True)

    assert config.scheduler == "pantry"
    assert [profile.name for profile in config.profiles] == ["default"]
    assert isinstance(config.handler, SingleProfile)
    assert config.warnings == ()
    assert [pick.row for pick in outcome.picked] == [1]
    assert outcome.picked[0].total == 2 * 0.9


def test_the_document_has_every_default():
    assert read({**GOOD, "metadata": {"name": "mine"}}).document() == {
        "apiVersion": "bayplan.io/v1alpha1",
        "kind": "SchedulerConfig",
        "metadata": {"name": "mine"},
        "scheduler": "pantry",
        "plugins": [
            {"type": "max-score", "name": "max-score", "parameters": {"ties": "lowest"}},
            {"type": "short", "name": "queue", "parameters": {"most": 2}},
            {"type": "calm", "name": "calm", "parameters": {"perRow": 10.0, "shares": {}}},
            {"type": "single-profile", "name": "single-profile", "parameters": {}},
        ],
        "profileHandler": {"pluginRef": "single-profile"},
        "schedulingProfiles": [
            {
                "name": "default",
                "plugins": [
                    {"pluginRef": "queue"},
                    {"pluginRef": "calm", "weight": 2.0, "level": 0},
                    {"pluginRef": "max-score"},
                ],
            }
        ],
        "onPluginError": "fail",
    }


SAME_AGAIN = {
    "plain": lambda document: None,
    "aliases": put(["plugins", 0], {"type": "random-picker"}),
    "candidates": all_of(plugin({"type": "shelves"}), put([*PROFILE, "candidates"], "shelves")),
    "level": put([*USES, 1, "level"], -1),
    "nulls": all_of(put(["metadata"], None), put(["plugins", 2, "parameters"], None), put([*USES, 1, "weight"], None)),
    "bare": all_of(removed(["apiVersion"]), removed(["kind"]), removed(["scheduler"])),
    "producers": all_of(
        plugin({"type": "fourfold"}), plugin({"type": "doubling"}), plugin({"type": "eager"}, {"pluginRef": "eager"})
    ),
    "skip": put(["onPluginError"], "skip"),
}


@pytest.mark.parametrize("change", SAME_AGAIN.values(), ids=SAME_AGAIN)
def test_the_full_document_reads_as_the_same_configuration(change):
    full = read(changed(change)).document()

    assert read(full).document() == full


def test_the_full_document_is_a_copy():
    config = read(GOOD)
    config.document()["plugins"].clear()

    assert config.document()["plugins"]


def test_candidates_that_do_not_exist():
    document = changed(put([*PROFILE, "candidates"], "shelfs"))
    columns = {"pantry": PANTRY, "pantry/shelves": PANTRY}

    (problem,) = problems(document, columns=columns)

    assert (problem.place, problem.next) == ("schedulingProfiles[0].candidates", "did you mean 'shelves'?")


def test_a_declared_source_makes_the_candidates():
    document = changed(all_of(plugin({"type": "shelves", "name": "boards"}), put([*PROFILE, "candidates"], "boards")))
    config = read(document)

    assert scheduler(config).schedule("x").picked[0].key == "top"


IDLE = {
    "filter":   ({"type": "sample"}, "'sample' is not used: no profile refers to it"),
    "producer": ({"type": "doubling"}, "'doubling' is not used: no plugin reads its columns"),
}  # fmt: skip


@pytest.mark.parametrize(("entry", "message"), IDLE.values(), ids=IDLE)
def test_what_is_not_used_is_a_warning(entry, message):
    (warning,) = read(changed(plugin(entry))).warnings

    assert (warning.place, warning.message, warning.line) == ("plugins[3]", message, 14)


def test_one_declared_handler_needs_no_reference():
    document = changed(all_of(plugin({"type": "in-turn"}), put(["schedulingProfiles", 1], SECOND)))

    assert isinstance(read(document).handler, InTurn)


def test_a_registry_without_built_ins_still_has_a_handler_for_one_profile():
    known = Registry([Short, Calm, *builtins()[:1]])

    assert isinstance(read_config(GOOD, known).handler, SingleProfile)


def test_additions_stand_before_a_profiles_own_filters_where_it_lacks_them():
    additions = {"pantry": Additions(filters=("sample", "short"))}
    config = read(GOOD, additions=additions)

    assert [each.name for each in config.profiles[0].named_filters] == ["sample", "queue"]
    assert config.document()["schedulingProfiles"][0]["plugins"][0] == {"pluginRef": "sample"}
    assert config.document()["plugins"][-1]["type"] == "sample"
    assert read(config.document(), additions=additions).document() == config.document()


def test_additions_are_for_one_scheduler_and_its_own_candidates():
    additions = {"kitchen": Additions(filters=("sample",)), "pantry/shelves": Additions(filters=("sample",))}

    assert len(read(GOOD, additions=additions).profiles[0].filters) == 1


def test_an_addition_stands_before_a_filter_that_is_there_already():
    additions = {"pantry": Additions(filters=("short", "sample"))}
    document = changed(all_of(removed([*USES, 0]), put([*USES, 2], {"pluginRef": "queue"})))
    config = read(document, additions=additions)

    assert [each.name for each in config.profiles[0].named_filters] == ["sample", "queue"]


OWN_TABLE = {"named": (put([*PROFILE, "candidates"], "jars"), None), "not named": (lambda document: None, None),
             "another": (put([*PROFILE, "candidates"], "shelves"), "shelves")}  # fmt: skip


@pytest.mark.parametrize(("change", "source"), OWN_TABLE.values(), ids=OWN_TABLE)
def test_the_schedulers_own_table_has_a_name(change, source):
    additions = {"pantry": Additions(filters=("sample",), candidates="jars")}
    config = read(changed(change), additions=additions)

    assert config.profiles[0].candidates == source
    assert config.document()["schedulingProfiles"][0]["candidates"] == (source or "jars")
    assert ("sample" in [each.name for each in config.profiles[0].named_filters]) is (source is None)


def test_an_added_handler_serves_several_profiles():
    document = changed(put(["schedulingProfiles", 1], SECOND))
    config = read(document, additions={"pantry": Additions(handler="in-turn")})

    assert isinstance(config.handler, InTurn)
    assert config.document()["profileHandler"] == {"pluginRef": "in-turn"}


SCHEDULERS = {
    "missing": (removed(["scheduler"]), "is missing", "there are: kitchen, pantry"),
    "unknown": (put(["scheduler"], "pntry"), "there is no scheduler 'pntry'", "did you mean 'pantry'?"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "message", "step"), SCHEDULERS.values(), ids=SCHEDULERS)
def test_known_schedulers(change, message, step):
    (problem,) = problems(changed(change), schedulers=("pantry", "kitchen"))

    assert (problem.place, problem.message, problem.next) == ("scheduler", message, step)
    assert read(GOOD, schedulers=("pantry", "kitchen")).scheduler == "pantry"


class Broken:
    name = "broken"
    reads = ()

    def score(self, ask, rows, cycle):
        raise ZeroDivisionError


def test_on_plugin_error_reaches_the_scheduler():
    known = registry()
    known.register(Broken)
    document = changed(all_of(plugin({"type": "broken"}, {"pluginRef": "broken"}), put(["onPluginError"], "skip")))
    config = read_config(document, known)
    table = ListTable(state={"waiting": [0]})

    assert config.on_plugin_error == "skip"
    assert scheduler(config, table=table).schedule("x").picked[0].row == 0

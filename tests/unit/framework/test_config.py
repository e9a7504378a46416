"""A table of everything that can be wrong with a configuration, and what a good one becomes."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field

import pytest

from bayplan.framework.builtins import builtins
from bayplan.framework.config import Additions, read_config, scheduler
from bayplan.framework.errors import ConfigError, InputError
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.list_table import ListTable
from bayplan.framework.outcome import Decision
from bayplan.framework.plugins import Resolution, Run
from bayplan.framework.registry import Registry
from bayplan.framework.schema import Schema

PANTRY = Schema(static=frozenset({"colour"}), state=frozenset({"waiting"}))


@dataclass(frozen=True)
class Short:
    most: int = 3
    name = "short"
    reads = ("waiting",)

    def __post_init__(self):
        if self.most < 0:
            raise InputError(f"{self.most} is below zero", place="most", next="give 0 or more")

    def mask(self, ask, rows, cycle):
        return [waiting <= self.most for waiting in rows.waiting]


@dataclass(frozen=True)
class Calm:
    per_row: float = 10.0
    shares: dict[str, float] = field(default_factory=dict)
    name = "calm"
    reads = ("waiting",)

    def score(self, ask, rows, cycle):
        return [1 - waiting / self.per_row for waiting in rows.waiting]


class Doubling:
    name = "doubling"
    reads = ("waiting",)
    produces = ("doubled",)

    def produce(self, ask, rows, cycle):
        return {"doubled": [2 * waiting for waiting in rows.waiting]}


class Halving:
    name = "halving"
    reads = ("quadrupled",)
    produces = ("doubled", "quartered")

    def produce(self, ask, rows, cycle):
        return {}


class Fourfold:
    name = "fourfold"
    reads = ("doubled",)
    produces = ("quadrupled",)

    def produce(self, ask, rows, cycle):
        return {"quadrupled": [2 * each for each in rows.doubled]}


class Repainting:
    name = "repainting"
    reads = ()
    produces = ("colour", "shade")

    def produce(self, ask, rows, cycle):
        return {}


class Shady:
    name = "shady"
    reads = ("shade",)

    def score(self, ask, rows, cycle):
        return [0.0] * rows.size


class Eager:
    name = "eager"
    reads = ("quadrupled",)

    def score(self, ask, rows, cycle):
        return [1 / (1 + each) for each in rows.quadrupled]


class Typo:
    name = "typo"
    reads = ("wating",)

    def score(self, ask, rows, cycle):
        return [0.0] * rows.size


class Careless:
    name = "careless"

    def score(self, ask, rows, cycle):
        return [0.0] * rows.size


class Explosive:
    name = "explosive"
    reads = ()

    def __init__(self):
        raise KeyError("fuse")

    def mask(self, ask, rows, cycle):
        return [True] * rows.size


class InTurn:
    name = "in-turn"

    def pick_profiles(self, cycle, profiles, results):
        return [Run(name) for name in profiles if name not in results][:1]

    def process_results(self, cycle, results):
        return Decision(next(iter(results)))


class Shelves:
    name = "shelves"

    def candidates(self, ask, table, cycle):
        return ListTable(state={"waiting": [0, 0]}, keys=["top", "bottom"])


class Keep:
    name = "keep"

    def resolve(self, ask, table, row, cycle):
        return Resolution(table.keys[row], {})


class Hold(Keep):
    name = "hold"


OWN = (Short, Calm, Doubling, Halving, Fourfold, Repainting, Shady, Eager, Typo, Careless, Explosive, InTurn, Shelves,
       Keep, Hold)  # fmt: skip


def registry():
    known = Registry(builtins())
    for plugin in OWN:
        known.register(plugin)
    return known


GOOD = {
    "apiVersion": "bayplan.io/v1alpha1",
    "kind": "SchedulerConfig",
    "scheduler": "pantry",
    "plugins": [
        {"type": "max-score"},
        {"type": "short", "name": "queue", "parameters": {"most": 2}},
        {"type": "calm"},
    ],
    "schedulingProfiles": [
        {
            "name": "default",
            "plugins": [{"pluginRef": "queue"}, {"pluginRef": "calm", "weight": 2}, {"pluginRef": "max-score"}],
        },
    ],
}


def lines_of(document, path=""):
    """The line of each path if the document were written with one field or item a line."""
    found = {}

    def walk(value, path):
        if path:
            found[path] = len(found) + 1
        if isinstance(value, dict):
            for key, item in value.items():
                walk(item, f"{path}.{key}" if path else key)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                walk(item, f"{path}[{index}]")

    walk(document, path)
    return found


def read(document, **more):
    more.setdefault("columns", {"pantry": PANTRY})
    return read_config(document, registry(), line=lines_of(document).get, **more)


def problems(document, **more):
    with pytest.raises(ConfigError) as caught:
        read(document, **more)
    return caught.value.problems


def changed(change):
    document = deepcopy(GOOD)
    change(document)
    return document


def put(path, value):
    """A change: the value at this path, whose last step is a key, or an index to insert at."""

    def change(document):
        *steps, last = path
        for step in steps:
            document = document[step]
        if isinstance(document, list):
            document.insert(last, value)
        else:
            document[last] = value

    return change


def plugin(entry, *uses):
    """A change: one more plugin, and references to it in the first profile."""

    def change(document):
        document["plugins"].append(entry)
        document["schedulingProfiles"][0]["plugins"] += uses

    return change


def all_of(*changes):
    def change(document):
        for each in changes:
            each(document)

    return change


def removed(path):
    def change(document):
        *steps, last = path
        for step in steps:
            document = document[step]
        del document[last]

    return change


PROFILE = ("schedulingProfiles", 0)
USES = (*PROFILE, "plugins")
SECOND = {"name": "second", "plugins": [{"pluginRef": "max-score"}]}

ONE_PROBLEM = {
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
        "there is no such field",
        "did you mean 'plugins'?",
    ),
    "field deep down": (
        put([*USES, 1, "wieght"], 1),
        "schedulingProfiles[0].plugins[1].wieght",
        "there is no such field",
        "did you mean 'weight'?",
    ),
    "odd field name": (
        put(["a.b"], 1),
        '["a.b"]',
        "there is no such field",
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
        "plugins[3].type",
        "'calm' is the name of plugins[2] too",
        "give one of them another name",
    ),
    "unknown parameter": (
        put(["plugins", 1, "parameters", "mst"], 1),
        "plugins[1].parameters.mst",
        "there is no such field",
        "did you mean 'most'?",
    ),
    "snake case": (
        put(["plugins", 2, "parameters"], {"per_row": 1}),
        "plugins[2].parameters.per_row",
        "there is no such field",
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
        "'calm' stands in this profile twice",
        "remove one, or declare a second plugin",
    ),
    "producer in profile": (
        plugin({"type": "doubling"}, {"pluginRef": "doubling"}),
        "schedulingProfiles[0].plugins[3].pluginRef",
        "'doubling' is a producer, which does not stand in a profile",
        "remove the reference: it runs wherever its columns are read",
    ),
    "handler in profile": (
        plugin({"type": "in-turn"}, {"pluginRef": "in-turn"}),
        "schedulingProfiles[0].plugins[3].pluginRef",
        "'in-turn' is a handler, which does not stand in a profile",
        "write profileHandler: {pluginRef: in-turn}",
    ),
    "source in profile": (
        plugin({"type": "shelves"}, {"pluginRef": "shelves"}),
        "schedulingProfiles[0].plugins[3].pluginRef",
        "'shelves' is a source, which does not stand in a profile",
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
    "nobody produces": (
        plugin({"type": "typo"}, {"pluginRef": "typo"}),
        "schedulingProfiles[0].plugins[3].pluginRef",
        "'typo' reads the column 'wating', which neither the table nor a producer makes",
        "did you mean 'waiting'?",
    ),
    "producer lacks data": (
        all_of(plugin({"type": "fourfold"}), plugin({"type": "eager"}, {"pluginRef": "eager"})),
        "plugins[3]",
        "'fourfold' reads the column 'doubled', which neither the table nor a producer makes",
        "there are: colour, quadrupled, waiting",
    ),
    "cycle of producers": (
        all_of(plugin({"type": "fourfold"}), plugin({"type": "halving"})),
        "plugins[3]",
        "producers need each other's columns: 'fourfold' -> 'halving' -> 'fourfold'",
        "break the cycle",
    ),
    "two producers": (
        all_of(plugin({"type": "doubling"}), plugin({"type": "doubling", "name": "again"})),
        "plugins[4]",
        "'again' produces 'doubled', and so does 'doubling'",
        "remove one of them",
    ),
    "table has it": (
        all_of(plugin({"type": "repainting"}), plugin({"type": "shady"}, {"pluginRef": "shady"})),
        "plugins[3]",
        "'repainting' produces 'colour', and so does the table",
        "remove it, or rename its column",
    ),
}


@pytest.mark.parametrize(("change", "place", "message", "step"), ONE_PROBLEM.values(), ids=ONE_PROBLEM)
def test_one_problem(change, place, message, step):
    document = changed(change)
    found = problems(document)

    assert [(each.place, each.message) for each in found if each.message.startswith(message)] == [
        (place, found[0].message)
    ]
    assert found[0].next.startswith(step)
    assert len(found) == 1
    assert found[0].line == nearest_line(document, place)


def nearest_line(document, place):
    """The line of the place, or of the nearest thing around what is missing."""
    lines = lines_of(document)
    while place and place not in lines:
        place = place[: max(place.rfind("."), place.rfind("["), 0)]
    return lines.get(place)


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


def test_producers_run_for_the_profiles_that_read_their_columns():
    document = changed(
        all_of(
            plugin({"type": "fourfold"}),
            plugin({"type": "doubling"}),
            plugin({"type": "eager"}, {"pluginRef": "eager"}),
            plugin({"type": "in-turn"}),
            put(["schedulingProfiles", 1], SECOND),
        )
    )
    config = read(document)
    table = ListTable(static={"colour": ["red"] * 2}, state={"waiting": [2, 1]})

    first, second = config.profiles
    assert [each.name for each in first.named_producers] == ["fourfold", "doubling"]
    assert second.named_producers == ()
    assert scheduler(config, table=table).schedule("x").picked[0].total == 2 * 0.9 + 1 / 5


def test_a_built_in_producer_is_added_where_it_is_needed():
    known = Registry([*builtins(), Short, Calm, Eager, Doubling, Fourfold])
    document = changed(plugin({"type": "eager"}, {"pluginRef": "eager"}))
    config = read_config(document, known, columns={"pantry": PANTRY})

    assert [each.name for each in config.profiles[0].named_producers] == ["fourfold", "doubling"]
    assert [each["type"] for each in config.document()["plugins"]][-2:] == ["fourfold", "doubling"]


def test_a_producer_from_elsewhere_is_not_added():
    found = problems(changed(plugin({"type": "eager"}, {"pluginRef": "eager"})))

    assert [each.message for each in found] == [
        "'eager' reads the column 'quadrupled', which neither the table nor a producer makes"
    ]


def test_without_a_schema_a_column_is_taken_to_be_the_tables():
    document = changed(plugin({"type": "typo"}, {"pluginRef": "typo"}))
    config = read(document, columns={})

    with pytest.raises(ConfigError, match="wating"):
        scheduler(config, table=ListTable(state={"waiting": [1]}))


def test_a_profile_with_its_own_candidates_has_its_own_columns():
    document = changed(put([*PROFILE, "candidates"], "shelves"))
    columns = {"pantry": PANTRY, "pantry/shelves": Schema(frozenset(), frozenset({"height"}))}

    found = problems(document, columns=columns)

    assert {each.message for each in found} == {
        "'queue' reads the column 'waiting', which neither the table nor a producer makes",
        "'calm' reads the column 'waiting', which neither the table nor a producer makes",
    }


def test_candidates_that_do_not_exist():
    document = changed(put([*PROFILE, "candidates"], "shelfs"))
    columns = {"pantry": PANTRY, "pantry/shelves": PANTRY}

    (problem,) = problems(document, columns=columns)

    assert (problem.place, problem.next) == ("schedulingProfiles[0].candidates", "did you mean 'shelves'?")


def test_a_declared_source_makes_the_candidates():
    document = changed(all_of(plugin({"type": "shelves", "name": "boards"}), put([*PROFILE, "candidates"], "boards")))
    config = read(document)

    assert scheduler(config).schedule("x").picked[0].key == "top"


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


IDLE = {
    "filter":   ({"type": "sample"}, "'sample' is not used: no profile refers to it"),
    "producer": ({"type": "doubling"}, "'doubling' is not used: nobody reads its columns"),
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

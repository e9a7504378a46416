"""Who makes the columns that are read, and what is wrong where nobody does."""

from __future__ import annotations

import pytest

from bayplan.framework.builtins import builtins
from bayplan.framework.config.scheduler_config import read_config, scheduler
from bayplan.framework.errors import ConfigError
from bayplan.framework.list_table import ListTable
from bayplan.framework.registry import Registry
from bayplan.framework.schema import Schema
from unit.framework.pantry import (
    PANTRY,
    PROFILE,
    SECOND,
    Calm,
    Doubling,
    Eager,
    Fourfold,
    Short,
    all_of,
    assert_one_problem,
    changed,
    plugin,
    problems,
    put,
    read,
)

PROBLEMS = {
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


@pytest.mark.parametrize(("change", "place", "message", "step"), PROBLEMS.values(), ids=PROBLEMS)
def test_one_problem(change, place, message, step):
    assert_one_problem(change, place, message, step)


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

from types import SimpleNamespace

import pytest

from bayplan.framework.errors import ConfigError
from bayplan.framework.evaluation.binding import bind
from bayplan.framework.plugins import Depends
from bayplan.framework.profile import Named, Weighted
from bayplan.framework.schema import Schema
from unit.framework.builders import Keeps, Makes, Scores, bound, cycle, profile

STATIC, ROW, CYCLE, TABLE = Depends


def keeps(name="f", *reads, depends=None, **more):
    return Keeps(name, reads, lambda ask, rows, cycle: None, depends, **more)


def scores(name="s", *reads, depends=None, **more):
    return Scores(name, reads, lambda ask, rows, cycle: None, depends, **more)


def makes(name, reads, *produces, depends=None):
    return Makes(name, reads, lambda ask, rows, cycle: None, depends, produces=produces)


def names(uses):
    return [use.name for use in uses]


DEPENDS = {
    "nothing": ((), None, STATIC),
    "a static column": (("zone",), None, STATIC),
    "a state column": (("free",), None, ROW),
    "a shared value": (("rate",), None, ROW),
    "static and state": (("zone", "free"), None, ROW),
    "the cycle": (("zone",), CYCLE, CYCLE),
    "other rows": (("free",), TABLE, TABLE),
    "declared steadier than what it reads": (("free",), STATIC, ROW),
    "a static producer's column": (("steady",), None, STATIC),
    "a row producer's column": (("moving",), None, ROW),
    "a cycle producer's column": (("fleeting",), None, CYCLE),
    "a table producer's column": (("aggregate",), None, CYCLE),
}
PRODUCERS = [
    makes("aggregating", ["free"], "aggregate", depends=TABLE),
    makes("fleeing", [], "fleeting", depends=CYCLE),
    makes("moves", ["steady", "free"], "moving"),
    makes("steadies", ["zone"], "steady"),
]


@pytest.mark.parametrize(("reads", "declared", "wanted"), DEPENDS.values(), ids=DEPENDS)
def test_dependence_follows_from_what_is_read(reads, declared, wanted):
    binding = bound(
        keeps("f", *reads, depends=declared), scores("s", *reads, depends=declared), *PRODUCERS, shared=["rate"]
    )

    assert binding.filters[0].depends is wanted
    assert binding.scorers[0].depends is wanted


def test_scorers_are_added_static_row_cycle_table_each_in_profile_order():
    binding = bound(
        scores("t1", depends=TABLE), scores("r1", "free"), scores("s1", "zone"), scores("c1", depends=CYCLE),
        scores("r2", "free"), scores("s2"), scores("t2", depends=TABLE), scores("c2", depends=CYCLE),
    )  # fmt: skip

    assert names(binding.scorers) == ["s1", "s2", "r1", "r2", "c1", "c2", "t1", "t2"]
    stages = (binding.static, binding.row, binding.cycle, binding.table)
    assert [names(stage.scorers) for stage in stages] == [["s1", "s2"], ["r1", "r2"], ["c1", "c2"], ["t1", "t2"]]


def test_no_filter_is_moved_across_a_table_filter():
    binding = bound(
        keeps("r1", "free"), keeps("s1", "zone"), keeps("c1", depends=CYCLE), keeps("t1", depends=TABLE),
        keeps("s2", "zone"), keeps("r2", "free"), keeps("t2", depends=TABLE),
    )  # fmt: skip

    assert names(binding.filters) == ["r1", "s1", "c1", "t1", "s2", "r2", "t2"]
    assert names(binding.static.filters) == ["s1"]
    assert names(binding.row.filters) == ["r1"]
    assert names(binding.cycle.filters) == ["c1"]
    assert names(binding.tail) == ["t1", "s2", "r2", "t2"]
    assert binding.table.filters == ()


LATE = {
    "nothing at all": ([], False),
    "static and row": ([keeps("f", "zone"), scores("s", "free")], False),
    "a cycle filter": ([keeps("f", depends=CYCLE)], True),
    "a cycle scorer": ([scores("s", depends=CYCLE)], True),
    "a table filter": ([keeps("f", depends=TABLE)], True),
    "a table scorer": ([scores("s", depends=TABLE)], True),
}


@pytest.mark.parametrize(("plugins", "late"), LATE.values(), ids=LATE)
def test_late_is_what_has_to_be_asked_in_every_cycle(plugins, late):
    assert bound(*plugins).late is late


def test_producers_run_in_the_order_of_need_and_only_if_somebody_reads_them():
    binding = bound(keeps("f", "moving"), *PRODUCERS)

    assert names(binding.producers) == ["steadies", "moves"]
    assert names(binding.static.producers) == ["steadies"]
    assert names(binding.row.producers) == ["moves"]
    assert (binding.row.made, binding.row.columns) == (("steady",), ("free",))
    assert binding.kept == ()
    assert binding.inputs == ("free", "zone")


def test_columns_of_row_producers_are_kept_where_later_stages_read_them():
    kept = {
        bound(plugin, *PRODUCERS).kept
        for plugin in (
            keeps("f", "moving", depends=CYCLE),
            keeps("f", "moving", depends=TABLE),
            scores("s", "moving", depends=CYCLE),
            scores("s", "moving", depends=TABLE),
        )
    }
    assert kept == {("moving",)}
    through = bound(keeps("f", "last"), makes("lasts", ["moving"], "last", depends=CYCLE), *PRODUCERS)
    assert through.kept == ("moving",)
    assert names(through.cycle.producers) == ["lasts"]


def test_table_producers_are_asked_once_a_cycle():
    binding = bound(keeps("f", "aggregate"), *PRODUCERS)

    assert names(binding.cycle.producers) == ["aggregating"]
    assert names(binding.cycle.filters) == ["f"]


def test_a_stage_knows_what_it_needs():
    binding = bound(scores("s", "rate", "free", "zone"), scores("t", "zone"), shared=["rate", "cap"])

    assert (binding.row.columns, binding.row.shared, binding.row.made) == (("free", "zone"), ("rate",), ())
    assert binding.shared == ("rate",)
    assert binding.static.columns == ("zone",)
    assert bool(binding.static)
    assert not binding.cycle
    assert [bool(stage) for stage in (bound(keeps()).static, bound(keeps("f", "m"), makes("p", [], "m")).static)] == [
        True
    ] * 2


def test_levels_are_numbered_in_their_order():
    binding = bound(
        Weighted(scores("a"), 2, level=7), Weighted(scores("b"), 3, level=-1), Weighted(scores("c"), level=7)
    )

    assert binding.levels == (-1, 7)
    assert [(use.name, use.level, use.weight) for use in binding.scorers] == [
        ("a", 1, 2.0),
        ("b", 0, 3.0),
        ("c", 1, 1.0),
    ]
    assert bound(keeps()).levels == (0,)


def test_a_bound_plugin_knows_its_name_and_what_it_declares():
    binding = bound(
        Named(keeps("f", "zone", "zone", required=True), "mine"),
        scores("s", scale=100),
        Weighted(scores(), name="other"),
    )

    (mine,) = binding.filters
    assert (mine.name, mine.reads, mine.required, mine.scale) == ("mine", ("zone",), True, 1.0)
    assert [(use.name, use.scale, use.required) for use in binding.scorers] == [
        ("s", 100.0, False),
        ("other", 1.0, False),
    ]


def test_calls_are_wrapped_for_observers():
    told = []

    class Wraps:
        def wrap(self, kind, name, call):
            told.append((kind, name))
            return call

    plugins = (keeps("f", "m"), scores("s"), makes("p", [], "m"))
    found = bind(profile(*plugins), Schema(frozenset(), frozenset()), Wraps())

    assert isinstance(found.observed, Wraps)
    assert told == [("filter", "f"), ("scorer", "s"), ("producer", "p")]


def test_draws_depend_on_the_name_alone():
    def drawn(name):
        (use,) = bound(Keeps(name, (), lambda ask, rows, cycle: cycle.chance(1 << 40), CYCLE)).filters
        mine = cycle(seed=3)
        first = use.call("ask", SimpleNamespace(size=1), mine)
        mine.chance(10)
        assert use.call("ask", SimpleNamespace(size=1), mine) == first
        return first

    assert drawn("a") == drawn("a") != drawn("b")


PROBLEMS = {
    "nobody produces it": (
        [keeps("f", "fee"), scores("s", "fie"), makes("p", ["foe"], "made")],
        [
            "'f' reads 'fee', which no plugin produces; there are: free, made, zone",
            "'p' reads 'foe', which no plugin produces; there are: free, made, zone",
            "'s' reads 'fie', which no plugin produces; there are: free, made, zone",
        ],
    ),
    "two produce it": (
        [makes("p", [], "made"), makes("q", [], "made")],
        ["'p' produces 'made', and so does 'q'; rename one"],
    ),
    "the table has it": ([makes("p", [], "free")], ["'p' produces 'free', and so does the table; rename one"]),
    "no name for a column": (
        [makes("p", [], "size")],
        ["'p' produces 'size', no name for a column; use a plain identifier"],
    ),
    "producers need each other": (
        [makes("p", ["b"], "a"), makes("q", ["a"], "b"), makes("r", [], "c")],
        ["producers need each other's columns: p, q; break the cycle"],
    ),
    "a producer needs itself": ([makes("p", ["a"], "a")], ["producers need each other's columns: p; break the cycle"]),
}


@pytest.mark.parametrize(("plugins", "problems"), PROBLEMS.values(), ids=PROBLEMS)
def test_what_cannot_be_bound(plugins, problems):
    with pytest.raises(ConfigError) as caught:
        bound(*plugins)

    assert [str(problem) for problem in caught.value.problems] == [f"profile p: {problem}" for problem in problems]

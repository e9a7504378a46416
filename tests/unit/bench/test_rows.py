"""The harness: rows of the fixed form, and variants that may be compared because they pick the same."""

import json

import pytest
from bench.__main__ import main, measure, show, write
from bench.endpoints import choose, endpoints, requests, routed
from bench.factors import profile
from bench.fleet import fleet
from bench.framework import SLOW_DECISIONS, Rates, _booking, _plain
from bench.measure import Row, interleaved
from bench.peers import Kernel, Objects, picks

from bayplan.library.numba_compiler import NumbaCompiler

WORLD = fleet(200, 120)

MET = {
    "no goal": (Row("a", 5, "/s"), None),
    "at least, reached": (Row("a", 5, "/s", 5, ">="), True),
    "at least, missed": (Row("a", 4.9, "/s", 5, ">="), False),
    "at most, kept": (Row("a", 5, "us", 5, "<="), True),
    "at most, missed": (Row("a", 5.1, "us", 5, "<="), False),
}  # fmt: skip


@pytest.mark.parametrize(("row", "met"), MET.values(), ids=MET)
def test_a_row_knows_whether_its_goal_is_met(row, met):
    assert row.met is met


@pytest.mark.parametrize(("goal", "op"), [(5, None), (None, ">="), (5, "<")])
def test_a_goal_and_its_sign_belong_together(goal, op):
    with pytest.raises(ValueError, match="a goal needs one of >=, <="):
        Row("a", 1, "us", goal, op)


def test_rows_are_written_in_the_fixed_form(tmp_path):
    write([Row("a/b", 50.0, "/s", 40, ">=", 2.0), Row("c", 1.0, "us")], tmp_path / "rows.json")

    assert json.loads((tmp_path / "rows.json").read_text()) == [
        {"name": "a/b", "value": 50.0, "unit": "/s", "goal": 40, "op": ">=", "met": True, "baseline": 2.0, "ratio": 25},
        {"name": "c", "value": 1.0, "unit": "us", "goal": None, "op": None, "met": None, "baseline": None,
         "ratio": None},
    ]  # fmt: skip


def test_a_pipe_gets_plain_lines(capsys):
    show([Row("a/b", 12_345.6, "/s", 40, ">=", 2.0)])

    assert capsys.readouterr().out.splitlines() == [
        "name\tvalue\tunit\tgoal\tmet\tbaseline\tratio",
        "a/b\t12,346\t/s\t>= 40\tyes\t2\t6,173",
    ]


def test_a_suite_that_is_not_there_and_a_folder_that_is_not_there(capsys, tmp_path):
    for arguments, problem in (["--only", "nothing"], "nothing"), (["--out", str(tmp_path / "no/rows.json")], "--out"):
        with pytest.raises(SystemExit) as caught:
            main(arguments)

        assert caught.value.code
        assert problem in capsys.readouterr().err


def test_suites_are_modules_with_rows(monkeypatch):
    said = []
    monkeypatch.setattr("bench.framework.rows", lambda say: iter([Row("framework/x", 2.0, "us")]))

    assert [row.name for row in measure(["framework"], said.append)] == ["framework/x"]
    assert said == ["framework/x: 2 us"]


def test_variants_take_turns():
    turns = []

    best = interleaved({"a": lambda: lambda: turns.append("a"), "b": lambda: lambda: turns.append("b")}, rounds=2)

    assert turns == ["a", "b", "a", "b"]
    assert best.keys() == {"a", "b"}


def test_all_variants_pick_the_same_workers():
    picked = _booking(WORLD, WORLD.asks)()

    assert -1 not in picked
    assert len(set(picked)) > 20
    assert (
        picked == _plain(WORLD, WORLD.asks)() == picks(Kernel(WORLD), WORLD.asks) == picks(Objects(WORLD), WORLD.asks)
    )


def test_a_variant_that_picks_otherwise_is_found_out(monkeypatch):
    monkeypatch.setitem(SLOW_DECISIONS, 200, 20)
    monkeypatch.setattr(Kernel, "decide", lambda self, ask: 0)

    with pytest.raises(AssertionError, match="kernel picks other rows"):
        Rates(WORLD).measure()


def test_compiled_loops_pick_the_same(tmp_path):
    pytest.importorskip("numba")

    assert _booking(WORLD, WORLD.asks, NumbaCompiler(after=0, folder=tmp_path))() == _booking(WORLD, WORLD.asks)()


@pytest.mark.parametrize("how", [{}, {"new": True}, {"twins": False}], ids=str)
def test_lists_and_objects_choose_the_same_endpoints(how):
    objects, asked = endpoints(16), requests(200)
    picked = routed(16, asked, **how)()

    assert picked == [choose(objects, request) for request in asked]
    assert len(set(picked)) > 2


def test_the_profile_is_the_one_that_the_goals_speak_of():
    five = profile()

    assert len(five.filters) == 5
    assert [each.weight for each in five.weighted] == [0.30, 0.25, 0.20, 0.15, 0.10]

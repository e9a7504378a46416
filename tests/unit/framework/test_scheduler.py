import numpy as np
import pytest

from bayplan.framework import scheduler as module
from bayplan.framework.cycle import Key
from bayplan.framework.errors import HandlerError
from bayplan.framework.outcome import Decision
from bayplan.framework.pickers.random import Random
from bayplan.framework.plugins import Depends, Run, Want
from bayplan.framework.scheduler import Scheduler
from unit.framework.builders import (
    Handles,
    Keeps,
    Scores,
    freest,
    profile,
    rows_of,
    run,
    scheduler,
    table,
)  # fmt: skip
from unit.framework.schedulers import boom, least_free


def two_profiles(handler, **more):
    return Scheduler([profile(freest(), name="p"), profile(least_free(), name="q")], handler, table=table(), **more)


ANOTHER = "give the second run another name"


BAD_HANDLERS = {
    "runs nothing": (Handles(), "runs no profile", "there are: p, q"),
    "an unknown profile": (Handles([run("r")]), "runs profile 'r'", "there are: p, q"),
    "the same run twice, together": (Handles([run(), run()]), "runs 'p' twice", ANOTHER),
    "the same run twice, later": (Handles([run()], [run()]), "runs 'p' twice", ANOTHER),
    "a name that is taken": (Handles([run()], [run("q", name="p")]), "runs 'p' twice", ANOTHER),
    "unknown candidates": (Handles([run(candidates="racks")]), "wants candidates from 'racks'", "there are: "),
    "no runs but names": (Handles(["p"]), "returned ['p'] where a sequence of Runs was asked for", ""),
    "nothing": (Handles(lambda *_: None), "returned None where a sequence of Runs was asked for", ""),
    "it raises": (Handles(boom), "raised ZeroDivisionError: by three", ""),
    "it raises at the end": (Handles([run()], decide=boom), "raised ZeroDivisionError: by three", ""),
    "decides for a run that was not there": (
        Handles([run()], primary="q"),
        "decides for a run that was not there: Decision(primary='q', value=None)",
        "",
    ),
    "answers with a run that was not there": (
        Handles([run(answer=Decision("q"))]),
        "decides for a run that was not there: Decision(primary='q', value=None)",
        "",
    ),
    "decides nothing": (Handles([run()], decide=lambda *_: None), "decides for a run that was not there: None", ""),
}  # fmt: skip


@pytest.mark.parametrize(("handler", "message", "step"), BAD_HANDLERS.values(), ids=BAD_HANDLERS)
def test_a_handler_that_breaks_its_promise_is_named(handler, message, step):
    with pytest.raises(HandlerError) as caught:
        two_profiles(handler).schedule("s")

    assert (caught.value.plugin, caught.value.message, caught.value.next) == ("batches", message, step)


class Endless:
    name = "endless"

    def pick_profiles(self, cycle, profiles, results):
        return (run(name=f"run-{len(results)}"),)


def test_a_handler_that_does_not_come_to_an_end_is_stopped(monkeypatch):
    monkeypatch.setattr(module, "MOST_RUNS", 5)

    with pytest.raises(HandlerError, match="plugin endless: does not come to an end: 6 runs in one cycle"):
        scheduler(handler=Endless()).schedule("s")
    many = [run(name=str(each)) for each in range(5)]
    assert len(scheduler(handler=Handles(many, primary="4")).schedule("s").results) == 5


def test_results_are_keyed_by_the_run_and_its_profile_is_known():
    outcome = two_profiles(Handles([run(), run("q", name="other")], [run(name="again")], primary="again")).schedule("s")

    assert {name: (result.name, result.profile, result.ok) for name, result in outcome.results.items()} == {
        "p": ("p", "p", True),
        "other": ("other", "q", True),
        "again": ("again", "p", True),
    }
    assert rows_of(outcome) == [0]
    assert outcome.results["other"].picked[0].row == 1
    assert outcome.primary.name == "again"
    assert Run("p").key == "p"
    assert Run("p", name="x").key == "x"


def test_runs_returned_together_do_not_see_each_other():
    seen = []

    def look(ask, rows, cycle):
        seen.append(sorted(cycle.results))
        return np.ones(rows.size, bool)

    spy = Keeps("spy", (), look, Depends.CYCLE)
    handler = Handles([run(name="a"), run(name="b")], [run(name="c")], primary="c")
    scheduler(spy, handler=handler).schedule("s")

    assert seen == [[], [], ["a", "b"]]


def test_the_handler_sees_the_results_so_far_and_a_failed_run_as_failed():
    picked = []

    def second(cycle, profiles, results):
        picked.append((sorted(profiles), {name: result.status for name, result in results.items()}))
        assert cycle.results == results
        return [run(name="second", ask=1)]

    def few(ask, rows, cycle):
        return rows.free >= ask

    outcome = scheduler(Keeps("few", ("free",), few), handler=Handles([run(ask=9)], second, primary="second")).schedule(
        "s"
    )

    assert picked == [(["p"], {"p": "nothing-fits"})]
    assert (outcome.ok, outcome.results["p"].ok, outcome.results["p"].picked) == (True, False, ())
    assert outcome.explanations == {}
    assert (outcome.results["p"].ask, outcome.results["second"].ask) == (9, 1)


def asked_for(*batches, primary="p"):
    """A handler over two profiles, the outcome of a cycle, and how often the handler was asked for runs."""
    handler, asked = Handles(*batches, primary=primary), []
    picks = handler.pick_profiles
    handler.pick_profiles = lambda *given: asked.append("runs") or picks(*given)
    decides = handler.process_results
    handler.process_results = lambda *given: asked.append("decision") or decides(*given)
    return two_profiles(handler).schedule("s"), asked


def test_a_run_that_is_the_whole_answer_ends_the_cycle_if_it_picks():
    plain, asked = asked_for([run()], primary="p")
    quick, less = asked_for([run(answer=Decision("p", "mine"))], [run("q")], primary="q")

    assert (asked, less) == (["runs", "runs", "decision"], ["runs"])
    assert (rows_of(quick), list(quick.results), quick.primary.name) == (rows_of(plain), ["p"], "p")
    assert (plain.decision, quick.decision) == (Decision("p"), Decision("p", "mine"))


def test_a_run_that_would_be_the_answer_but_finds_nothing_leaves_the_rest_to_the_handler():
    outcome, asked = asked_for([run(want=Want(4, 4), answer=Decision("p"))], [run("q")], primary="q")

    assert asked == ["runs", "runs", "runs", "decision"]
    assert ({name: each.ok for name, each in outcome.results.items()}) == {"p": False, "q": True}
    assert outcome.primary.name == "q"


def test_of_runs_returned_together_all_are_run_and_the_first_answer_counts():
    first, second = Decision("p", "first"), Decision("q", "second")
    outcome, asked = asked_for([run(name="a"), run(answer=first), run("q", answer=second)], [run(name="b")])

    assert (asked, list(outcome.results), outcome.decision) == (["runs"], ["a", "p", "q"], first)


def test_a_run_may_want_more_than_the_cycle():
    handler = Handles([run(name="one"), run(name="two", want=Want(2))], primary="two")
    outcome = scheduler(freest(), handler=handler).schedule("s")

    assert [len(result.picked) for result in outcome.results.values()] == [1, 2]
    assert rows_of(scheduler(freest()).schedule("s", want=Want(2))) == [0, 2]


def test_a_run_without_an_ask_has_the_cycles_and_a_subject_may_be_its_own():
    asked = []

    def remember(ask, rows, cycle):
        asked.append(ask)
        return np.ones(rows.size, bool)

    mine = scheduler(Keeps("f", ("free",), remember), handler=Handles([run(), run(name="own", ask=7)]))
    mine.schedule("me")
    mine.schedule("me", 3)

    assert asked == ["me", 7, 3]


def test_cycle_state_is_shared_by_all_who_take_part():
    key = Key("hot")

    def first(cycle, profiles, results):
        cycle.put(key, 0.5)
        return [run()]

    warm = Scores("warm", ("free",), lambda ask, rows, cycle: rows.free / 10 * cycle.get(key), Depends.CYCLE)
    outcome = scheduler(
        warm, handler=Handles(first, decide=lambda cycle, results: Decision("p", cycle.get(key)))
    ).schedule("s")

    assert outcome.picked[0].total == 0.15
    assert outcome.decision.value == 0.5


def test_an_explained_run_sees_the_results_that_it_saw():
    """Both when all is explained and when a cycle that ends with nothing is accounted for."""

    def alone(ask, rows, cycle):
        return np.full(rows.size, len(cycle.results) != ask)

    spy = Keeps("spy", (), alone, Depends.CYCLE)
    runs = [run(name="a", ask=0)], [run(name="b", ask=1)]
    for explained in (False, True):
        outcome = scheduler(spy, handler=Handles(*runs, primary="b")).schedule("s", explained=explained)
        assert {name: each.counts() for name, each in outcome.explanations.items()} == {
            "a": {"spy": 3},
            "b": {"spy": 3},
        }


def test_what_is_drawn_does_not_depend_on_explaining():
    """Neither the pickers' draws nor the handler's, nor those of two runs of one profile on each other."""

    def throw(cycle, results):
        return Decision("a", cycle.chance(1 << 60))

    def outcome(explained):
        handler = Handles(
            lambda cycle, *_: [run(name="a", want=Want(1 + cycle.chance(2)))], [run(name="b")], decide=throw
        )
        on = table([1] * 8, [0] * 8)
        return scheduler(picker=Random(), handler=handler, on=on).schedule("s", seed=11, explained=explained)

    plain, explained = outcome(False), outcome(True)
    assert plain.record() == explained.record()
    assert plain.decision == explained.decision


def test_two_runs_of_one_profile_draw_apart():
    handler = Handles([run(name="a"), run(name="b")], primary="a")
    mine = scheduler(picker=Random(), handler=handler, on=table([1] * 8, [0] * 8))
    same = sum(
        outcome.results["a"].picked[0].row == outcome.results["b"].picked[0].row
        for outcome in (mine.schedule("s", seed=seed) for seed in range(80))
    )

    assert same < 30

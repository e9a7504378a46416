"""A workload keeps away from workers that hold whom it must not stand beside."""

from bayplan.placement.constraints.anti_affinity import AntiAffinity
from unit.placement.builders import ask, keeps_its_promises, subject, verdicts, worker

ASKED = ask(anti_affinity=("db", "cache"))


def codes(*avoided):
    said = verdicts(AntiAffinity(), ASKED, worker("a"), worker("b"), worker("c"), who=subject(avoids=avoided))
    return {name: verdict.code for name, verdict in said.items()}


def test_nobody_is_avoided():
    assert codes() == {"a": None, "b": None, "c": None}


def test_some_are_avoided():
    assert codes("a", "c", "elsewhere") == {"a": "anti-affinity", "b": None, "c": "anti-affinity"}


def test_the_reason_names_whom_it_avoids_and_eviction_would_help():
    verdict = verdicts(AntiAffinity(), ASKED, worker("a"), who=subject(avoids=("a",)))["a"]

    assert verdict.message == "holds a booking of db or cache, which antiAffinity excludes"
    assert verdict.curable


def test_contract():
    workers = [worker(), worker(), worker()]
    keeps_its_promises(AntiAffinity(), workers, [ask(), ASKED])
    keeps_its_promises(AntiAffinity(), workers, [ask(), ASKED], subject=subject(avoids=("w1",)))
    assert AntiAffinity.required

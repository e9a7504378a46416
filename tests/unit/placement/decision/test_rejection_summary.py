"""Refusals over all tiers, worker by worker and code by code."""

from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.worker import WorkerStatus
from bayplan.framework.evaluation.explanation import Explanation
from bayplan.framework.reasons import Reasons, Refusal
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.asks.tier import Tier
from bayplan.placement.decision.rejection_summary import Refused, Summary
from bayplan.placement.decision.strategies import Strategies
from unit.placement.builders import ask, gpu, profiles, subject, worker

KNOWN = CardRule(needs_memory=True)
ONE = ask(tier=Tier.ONE_GPU, taking=Taking.SHARE, shapes=(CardShape(1, 90),), rule=KNOWN)
TWO = ask(tier=Tier.ONE_WORKER, taking=Taking.SHARE, shapes=(CardShape(2, 80),), rule=KNOWN)
MANY = ask(tier=Tier.MANY_WORKERS, taking=Taking.SHARE, shapes=(CardShape(9, 10),), rule=KNOWN, spans=True)
WORKERS = [
    worker("a", cards=[gpu(0, memory_mib=40)]),
    worker("b", cards=[gpu(0, memory_mib=70), gpu(1, memory_mib=70)], status=WorkerStatus.CORDONED),
]


def refused(*asks):
    snapshot = Snapshot.load(WORKERS)
    return Refused.of(Strategies(snapshot, profiles()).place(subject(), "pack", asks))


def codes(found):
    return {worker: [each.code for each in rejections] for worker, rejections in found.workers.items()}


def test_every_check_that_failed():
    assert codes(refused(ONE)) == {"a": ["gpu-memory-short"], "b": ["cordoned", "gpu-memory-short"]}


def test_each_code_once_as_the_tier_said_it_that_came_nearest():
    found = refused(ONE, TWO)

    assert codes(found) == {"a": ["gpu-memory-short", "gpu-count-short"], "b": ["cordoned", "gpu-memory-short"]}
    assert [each.needed for each in found.workers["b"] if each.code == "gpu-memory-short"] == [80]


def test_domains_refuse_nobody():
    """Some worker could take part, so workers were not refused; domains are not workers."""
    assert codes(refused(MANY)) == {}
    assert codes(refused(ONE, MANY)) == codes(refused(ONE))


def test_the_most_frequent_code_first_and_the_nearest_miss():
    assert refused(ONE).summaries() == [
        Summary("gpu-memory-short", 2, False, "needs 90 MiB on one card, 70 MiB are free"),
        Summary("cordoned", 1, False, "is cordoned: closed to new work"),
    ]


def told(**codes):
    """One run that gave each code, to so many workers, with what they needed, had, and whether that can be cured."""
    refusals = [
        Refusal("f", list(range(len(rows))), Reasons(
            code, needed=[row[0] for row in rows], free=[row[1] for row in rows], curable=[row[2] for row in rows],
            text="{needed}/{free}",
        ))
        for code, rows in codes.items()
    ]  # fmt: skip
    return Refused([Explanation(["a", "b", "c"], refusals, (), (), (), ())])


def test_a_code_is_curable_where_any_worker_is():
    found = told(x=[(9, 1, False), (9, 3, True), (None, None, False)])

    assert found.summaries() == [Summary("x", 3, True, "9/3")]


def test_equally_frequent_codes_by_name():
    assert [each.code for each in told(z=[(1, 0, False)], y=[(1, 0, False)]).summaries()] == ["y", "z"]


def test_nobody_refused():
    assert Refused().summaries() == []


def test_what_speaks_against_any_worker_stands_beside():
    beside = Summary("gang-short", 2, curable=True, message="too little is free")

    assert Refused(beside=[beside]).summaries() == [beside]
    assert not Refused(beside=[beside]).workers


def test_what_is_settled_says_the_same():
    found = told(x=[(9, 1, False), (9, 3, True)])
    found.settle()

    assert found.summaries() == [Summary("x", 2, True, "9/3")]
    assert found.workers == {}


def test_of_equally_near_workers_the_one_refused_first():
    """Row 2 was refused before row 0, by an earlier filter."""
    first = Refusal("f", [2], Reasons("y"))
    second = Refusal("g", [0, 2], Reasons("x", needed=[5, 5], free=[1, 1], where=["zero", "two"], text="{where}"))
    found = Refused([Explanation(["a", "b", "c"], [first, second], (), (), (), ())])

    assert [each.message for each in found.summaries() if each.code == "x"] == ["two"]


def test_the_nearest_over_several_tiers_and_codes_in_one_column():
    far = Refusal("f", [0, 1], Reasons(["x", "y"], needed=[9, 9], free=[1, 1], text="far {short}"))
    told = Reasons(["x", "x"], needed=[9, 9], free=[5, 5], curable=[False, True], text="near {short}")
    near = Refusal("f", [0, 1], told)
    keys = ["a", "b"]
    found = Refused([Explanation(keys, [each], (), (), (), ()) for each in (far, near)])

    assert found.summaries() == [Summary("x", 2, True, "near 4"), Summary("y", 1, False, "far 8")]

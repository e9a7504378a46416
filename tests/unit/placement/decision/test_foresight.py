"""Epochs, and when `pack` begins to look ahead."""

from bayplan.cluster.snapshot import Snapshot
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Profile, Weighted
from bayplan.placement.decision.foresight import EPOCH, FIRST, Foresight, looking_ahead
from bayplan.placement.decision.strategies import Strategies
from bayplan.placement.packing.mix import ENOUGH, Mix
from bayplan.placement.scorers.binpack import Binpack
from bayplan.placement.scorers.headroom import Headroom
from bayplan.placement.scorers.spread import Spread
from unit.placement.builders import planner, profiles, role, sized, subject
from unit.placement.scorers.packed import host, percent, wholes


def fleet():
    return Snapshot.load([host(8, 64, name=f"w{number}") for number in range(3)])


def outlooks(snapshot, foresight, ticks):
    """How often the outlook changed over so many decisions."""
    seen = [snapshot.table.shared["outlook"]]
    for _ in range(ticks):
        foresight.tick()
        if snapshot.table.shared["outlook"] is not seen[-1]:
            seen.append(snapshot.table.shared["outlook"])
    return len(seen)


def test_a_given_mix_is_looked_at_again_in_epochs():
    snapshot = fleet()
    foresight = Foresight(snapshot, Mix.of([wholes(1)]))

    assert foresight.known
    assert outlooks(snapshot, foresight, EPOCH) == 1
    assert outlooks(snapshot, foresight, 1) == 2


def test_a_mix_that_is_learnt_speaks_early_and_is_known_late():
    snapshot, mix = fleet(), Mix()
    foresight = Foresight(snapshot, mix)
    said = {}
    for number in range(ENOUGH):
        mix.observe(wholes(1))
        foresight.tick()
        said[number + 1] = snapshot.table.shared["outlook"] is not None, foresight.known

    assert said[FIRST - 1] == (False, False)
    assert said[FIRST] == (True, False)
    assert said[ENOUGH - 1] == (True, False)
    assert said[ENOUGH] == (True, True)


def test_while_a_mix_is_learnt_epochs_begin_as_what_was_seen_doubles():
    snapshot, mix = fleet(), Mix()
    foresight = Foresight(snapshot, mix)
    changes = []
    for number in range(1, 200):
        mix.observe(wholes(1))
        before = snapshot.table.shared["outlook"]
        foresight.tick()
        if snapshot.table.shared["outlook"] is not before:
            changes.append(number)

    assert changes == [FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST]


def test_only_pack_and_only_binpack_give_way():
    def scorers(name, *used):
        profile = looking_ahead(Profile(name, MaxScore(), scorers=used))
        return [(type(each.scorer), each.weight, each.level) for each in profile.weighted]

    both = (Weighted(Binpack(), 2.0, 1), Weighted(Spread(), 1.0, 1))
    assert scorers("pack", *both) == [(Headroom, 2.0, 1), (Spread, 1.0, 1)]
    assert scorers("other", *both) == [(Binpack, 2.0, 1), (Spread, 1.0, 1)]


def used(strategies):
    outcome = strategies.place(subject(), "pack", (wholes(1),), explained=True)
    return {term.scorer for each in outcome.explanations.values() for row in each.ranked() for term in row.terms}


def test_pack_looks_ahead_where_a_mix_is_given():
    assert used(Strategies(fleet(), profiles(), mix=Mix.of([wholes(1)]))) == {"headroom"}
    assert used(Strategies(fleet(), profiles())) == {"binpack"}


def test_pack_looks_ahead_from_the_thousandth_workload_on():
    mix = Mix()
    strategies = Strategies(fleet(), profiles(), mix=mix)
    for _ in range(ENOUGH - 1):
        mix.observe(percent(30))
    assert used(strategies) == {"binpack"}

    mix.observe(percent(30))
    assert used(strategies) == {"headroom"}


def test_a_planner_with_a_mix_plans_with_it():
    workers = [host(2, 64, name="two"), host(8, 64, name="eight")]
    mix = Mix({wholes(8): 1, wholes(1): 1})
    asked = sized(role(gpus=None, cpu_milli=1000))

    assert planner(*workers, mix=mix).plan(asked).verdict == planner(*workers).plan(asked).verdict

"""One decision: strategies by name, and the filters that only some workloads need."""

import numpy as np
import pytest

from bayplan.cluster.snapshot import Snapshot
from bayplan.framework.errors import InputError
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.asks.tier import Tier
from bayplan.placement.constraints.active import FILTERS
from bayplan.placement.constraints.cost_sum import SPENT, Spent
from bayplan.placement.decision.fit_tiers import Tiers
from bayplan.placement.decision.strategies import Strategies
from bayplan.placement.decision.tuning import Tuning
from fleets import booking, whole
from unit.placement.builders import ask, hash_of, profiles, subject, worker
from unit.placement.numa_builders import zoned

A, B = worker("a", cards=1, usd_per_hour=2.0), worker("b", cards=2, usd_per_hour=1.0)
WHOLE = {"taking": Taking.WHOLE, "shapes": (CardShape(1),)}


def placer(*workers, bookings=(), only=None):
    known = profiles() if only is None else {only: profiles()["pack"]}
    return Strategies(Snapshot.load(workers or (A, B), bookings), known)


def where(asks, *, who=None, strategy="pack", **others):
    outcome = placer(**others).place(who or subject(), strategy, asks)
    return outcome.picked[0].key if outcome.ok else None


def test_the_first_tier_that_answers():
    nowhere = ask(tier=Tier.ONE_GPU, taking=Taking.WHOLE, shapes=(CardShape(3),))
    outcome = placer().place(subject(), "pack", (nowhere, ask(tier=Tier.ONE_WORKER, **WHOLE)))

    assert outcome.decision.primary == "pack/one-worker"
    assert outcome.picked[0].resolution.value.tier is Tier.ONE_WORKER


def test_nothing_fits_is_an_answer():
    assert not placer().place(subject(), "pack", (ask(taking=Taking.WHOLE, shapes=(CardShape(3),)),)).ok


@pytest.mark.parametrize(("strategy", "wanted"), [("pack", "a"), ("spread", "b")])
def test_strategies(strategy, wanted):
    """Pack leaves no idle card; spread goes where nobody is."""
    held = (booking("o", on="a"),)

    assert where((ask(**WHOLE),), strategy=strategy, bookings=held) == wanted


def test_the_only_profile_serves_every_strategy():
    assert placer(only="mine").strategy("spread") == "mine"
    assert placer(only="mine").strategy("mine") == "mine"


def test_a_strategy_that_a_dialect_implies_is_served_by_another():
    two = {"mine": profiles()["pack"], "other": profiles()["spread"]}
    assert Strategies(Snapshot.load((A,)), two).strategy("five-factors") == "mine"
    assert Strategies(Snapshot.load((A,)), {**two, "pack": profiles()["pack"]}).strategy("five-factors") == "pack"


def test_a_strategy_that_nobody_knows():
    with pytest.raises(InputError) as caught:
        placer().strategy("spraed")

    assert (caught.value.place, caught.value.message) == ("strategy", "no profile is called 'spraed'")
    assert "spread" in caught.value.next


def test_neighbours_are_avoided_only_by_those_who_say_so():
    who = subject(avoids=["a"])

    assert where((ask(anti_affinity=("o",), **WHOLE),), who=who) == "b"
    assert where((ask(**WHOLE),), who=who) == "a"


def test_money_is_counted_over_all_workers():
    who = subject(constraints={SPENT: Spent(np.array([hash_of("b")], np.int64), 1.0)})

    assert where((ask(max_usd_per_hour=3.0, **WHOLE),), who=who) == "a"
    assert where((ask(max_usd_per_hour=2.0, **WHOLE),), who=who) == "b"


def test_a_sample_finds_a_worker_that_alone_fits():
    held = (booking("o", whole(0), on="a"), booking("o", whole(0), on="b"))
    found = placer(bookings=held).place(subject(), "pack", (ask(**WHOLE),), tuning=Tuning(sample=1))

    assert found.picked[0].key == "b"


def test_a_sample_leaves_no_replica_without_the_workers_it_spans():
    three = ask(taking=Taking.WHOLE, shapes=(CardShape(3),), spans=True)
    found = placer().place(subject(), "pack", (three,), tuning=Tuning(sample=1))

    assert {each.worker for each in found.picked[0].resolution.value.bookings} == {"a", "b"}


def test_a_sample_is_the_same_under_the_same_seed():
    many = [worker(f"w{number}", cards=1) for number in range(20)]
    picks = {
        seed: {placer(*many).place(subject(), "pack", (ask(**WHOLE),), tuning=Tuning(sample=1), seed=seed).picked[0].key
               for _ in range(3)}
        for seed in range(8)
    }  # fmt: skip

    assert all(len(each) == 1 for each in picks.values())
    assert len(set().union(*picks.values())) > 1


def test_what_a_sample_leaves_out_is_told():
    outcome = placer().place(subject(), "pack", (ask(**WHOLE),), tuning=Tuning(sample=1), explained=True)

    assert outcome.explanations["pack/as-requested"].counts() == {"not-scored": 1}


def test_weights_of_a_workload():
    """Eight idle cards are worth more than a dollar less, unless the price is all that counts."""
    both = placer(worker("many", cards=8, usd_per_hour=2.0), worker("cheap", cards=1, usd_per_hour=1.0))
    found = [
        both.place(subject(), "five-factors", (ask(**WHOLE),), tuning=Tuning(weights=weights)).picked[0].key
        for weights in ((), (("cost", 100.0),))
    ]

    assert found == ["many", "cheap"]


def test_one_scheduler_for_equal_demands():
    both = placer()

    assert both.scheduler("pack") is both.scheduler("pack")
    assert both.scheduler("pack") is not both.scheduler("pack", Tuning(sample=1))


def test_nothing_is_written():
    both = placer()
    before = both.snapshot.table.version
    both.place(subject(), "pack", (ask(**WHOLE),))

    assert both.snapshot.table.version == before


def test_without_reasons_a_no_is_only_a_no():
    asks = (ask(taking=Taking.SHARE, shapes=(CardShape(1, 1 << 20),), rule=CardRule(needs_memory=True)),)

    assert placer().place(subject(), "pack", asks, reasons=False).explanations == {}
    assert set(placer().place(subject(), "pack", asks).explanations) == {"pack/as-requested"}


def test_the_first_worker_that_insists_on_numa_zones_is_judged_by_them():
    """Whatever was decided before by the same placer, on the same table."""
    split = zoned((1, 9), (1, 9), name="b", cards=[0, 1])
    both, two = placer(), ask(taking=Taking.WHOLE, shapes=(CardShape(2),))
    assert both.place(subject(), "pack", (two,)).picked[0].key == "b"

    assert both.snapshot.updated(split) is both.snapshot
    assert not both.place(subject(), "pack", (two,)).ok
    assert not both.checker("pack").schedule(subject(), Tiers("pack", (two,))).ok


def test_a_checker_asks_every_filter_that_judges_a_row_by_itself():
    both = placer()
    checker = both.checker("spread")

    assert both.checker("spread") is checker
    for name, profile in checker.profiles.items():
        asked = {each.name for each in both.scheduler("spread").profiles[name].named_filters}
        assert {each.name for each in profile.named_filters} == asked - {each.name for each in FILTERS}
        assert not checker.evaluator(name).binding.late

"""One tier after the other, until one answers."""

from types import SimpleNamespace

import pytest

from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.asks.tier import Tier
from bayplan.placement.decision.fit_tiers import FitTiers, Tiers, run_name
from bayplan.placement.decision.profiles import DOMAINS
from bayplan.placement.decision.worker_domains import SOURCE
from unit.placement.builders import ask

SHARE = {"taking": Taking.SHARE, "rule": CardRule(needs_memory=True)}
ONE = ask(tier=Tier.ONE_GPU, shapes=(CardShape(1, 80),), **SHARE)
SEVERAL = ask(tier=Tier.ONE_WORKER, shapes=(CardShape(2, 40), CardShape(4, 20)), **SHARE)
MANY = ask(tier=Tier.MANY_WORKERS, shapes=(CardShape(4, 20),), spans=True, **SHARE)
CPU = ask(tier=Tier.CPU, ram_mib=80)
TIERS = Tiers("pack", (ONE, SEVERAL, MANY, CPU))

YES, NO = SimpleNamespace(ok=True), SimpleNamespace(ok=False)


def picked(results, tiers=TIERS):
    return FitTiers().pick_profiles(SimpleNamespace(ask=tiers), {}, results)


RUNS = {
    "the first tier": ({}, "pack/one-gpu"),
    "the next where it does not answer": ({"pack/one-gpu": NO}, "pack/one-worker"),
    "workers before their domains": ({"pack/one-gpu": NO, "pack/one-worker": NO}, "pack/many-workers/workers"),
    "domains where workers pass": (
        {"pack/one-gpu": NO, "pack/one-worker": NO, "pack/many-workers/workers": YES},
        "pack/many-workers",
    ),
    "no domains where none does": (
        {"pack/one-gpu": NO, "pack/one-worker": NO, "pack/many-workers/workers": NO},
        "pack/cpu",
    ),
    "the last": (
        {"pack/one-gpu": NO, "pack/one-worker": NO, "pack/many-workers/workers": YES, "pack/many-workers": NO},
        "pack/cpu",
    ),
    "an answer ends it": ({"pack/one-gpu": NO, "pack/one-worker": YES}, None),
    "so does the last no": (
        {"pack/one-gpu": NO, "pack/one-worker": NO, "pack/many-workers/workers": NO, "pack/cpu": NO},
        None,
    ),
}


@pytest.mark.parametrize(("results", "name"), RUNS.values(), ids=RUNS)
def test_which_run_is_next(results, name):
    assert [run.name for run in picked(results)] == ([name] if name else [])


def test_a_tier_runs_the_strategy_with_its_ask():
    (run,) = picked({"pack/one-gpu": NO})

    assert (run.profile, run.ask) == ("pack+fewest-cards", SEVERAL)


def test_workers_are_asked_for_one_card_and_domains_for_all():
    (workers,) = picked({}, Tiers("pack", (MANY,)))
    (domains,) = picked({workers.name: YES}, Tiers("pack", (MANY,)))

    assert (workers.profile, workers.ask.shapes) == ("pack", (CardShape(1, 20),))
    assert (domains.profile, domains.ask, domains.candidates) == (DOMAINS, MANY, SOURCE)


DECISIONS = {
    "nothing ran": ({}, None, None),
    "nothing answered": ({"pack/one-gpu": NO}, None, None),
    "that workers pass is no answer": ({"pack/many-workers/workers": YES}, None, None),
    "the tier that did": ({"pack/one-gpu": NO, "pack/one-worker": YES}, "pack/one-worker", SEVERAL),
}


@pytest.mark.parametrize(("results", "primary", "value"), DECISIONS.values(), ids=DECISIONS)
def test_what_the_results_mean(results, primary, value):
    decision = FitTiers().process_results(SimpleNamespace(ask=TIERS), results)

    assert (decision.primary, decision.value) == (primary, value)


def test_a_run_that_answers_its_tier_says_what_is_decided_then():
    runs = [run for step in TIERS.steps for run in step.runs]

    for run in runs:
        results = {run.name: YES}
        decided = FitTiers().process_results(SimpleNamespace(ask=TIERS), results)
        assert (run.answer or decided) == decided
    assert [run.name for run in runs if run.answer is None] == ["pack/many-workers/workers"]


NAMES = {
    "a tier": (ONE, "s/one-gpu"),
    "over workers by its nature": (MANY, "s/many-workers"),
    "over workers too": (ask(spans=True), "s/as-requested/many"),
    "oversold": (ask(tier=Tier.ONE_WORKER, overcommit=True), "s/one-worker/overcommit"),
}


@pytest.mark.parametrize(("asked", "name"), NAMES.values(), ids=NAMES)
def test_names_of_runs(asked, name):
    assert run_name("s", asked) == name

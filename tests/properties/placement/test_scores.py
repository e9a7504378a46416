"""The score of a plan is the contract's formula, recomputed from the documents; and the best of the rivals won."""

from itertools import combinations

import pytest
from hypothesis import assume, event, given, strategies as st

import bayplan
from properties.placement.books import holds_whole
from properties.placement.documents import FEWER, MINE, OTHERS, card_specs, clusters, model_specs, workload
from properties.placement.fitting import bare_fits, best, takes_no_division, ways
from properties.placement.fleet import fleet, usable
from properties.placement.scoring import binpack, spread

ram = st.sampled_from(({}, {"ram": 8}, {"ram": 16}))
small_models = model_specs(most=30)
few_cards = st.fixed_dictionaries(
    {"count": st.integers(1, 2), "memory": st.sampled_from((1, 4, 8, 12, 16))},
    optional={"models": st.just(["L4", "A100"])},
).map(lambda gpus: {"gpus": gpus})


def on_one_worker(plan):
    """The replica and its part, where one was placed, and not on several workers."""
    return [(each, each["workers"][0]) for each in plan["replicas"] if len(each["workers"]) == 1]


@FEWER
@given(clusters(most=4, names=OTHERS), small_models | card_specs(), ram)
def test_binpack_is_its_formula(cluster, spec, host):
    spec = {**spec, **host}
    assume(not takes_no_division(spec))
    hosts = {each.name: each for each in fleet(cluster)}
    for replica, part in on_one_worker(bayplan.plan(workload(spec), cluster)):
        event(replica["tier"])
        if replica["tier"] == "partial-offload" or holds_whole(spec):
            continue
        assert replica["score"] == pytest.approx(binpack(spec, hosts[part["worker"]], part, replica), abs=1e-9)


@FEWER
@given(clusters(most=4), small_models | card_specs())
def test_spread_is_its_formula(cluster, spec):
    there = sum(booking["workload"] == MINE for booking in cluster["bookings"])
    spec = {**spec, "strategy": "spread", "replicas": there + 1}
    assume(not takes_no_division(spec))
    found = ways(spec, fleet(cluster))
    passed = {way.worker for way in found}
    hosts = [each for each in fleet(cluster) if each.name in passed]
    for replica, part in on_one_worker(bayplan.plan(workload(spec), cluster)):
        if None in passed:  # several workers together: the mean of other scores
            continue
        (host,) = [each for each in hosts if each.name == part["worker"]]
        event(f"{len(hosts)} passed")
        assert replica["score"] == pytest.approx(spread(MINE, hosts, host, part["gpus"]), abs=1e-9)


@FEWER
@given(clusters(most=4, names=OTHERS), few_cards, ram)
def test_the_fullest_cards_win_under_pack(cluster, spec, host):
    spec = {**spec, **host}

    plan = bayplan.plan(workload(spec), cluster)

    scores = [binpack(spec, each, part(spec, taken), {}) for each, taken in tightest(spec, cluster)]
    event(f"{len(scores)} workers")
    assert [replica["score"] for replica in plan["replicas"]] == pytest.approx([max(scores)] if scores else [])


@FEWER
@given(clusters(most=4), few_cards)
def test_the_loneliest_cards_win_under_spread(cluster, spec):
    """On the worker that was picked no other set of cards of one model would score more."""
    there = sum(booking["workload"] == MINE for booking in cluster["bookings"])
    plan = bayplan.plan(workload({**spec, "strategy": "spread", "replicas": there + 1}), cluster)

    for _, given_part in on_one_worker(plan):
        found = [(each, sets) for each, sets in every_set(spec, cluster) if each.name == given_part["worker"]]
        scores = [spread(MINE, [host], host, part(spec, cards)["gpus"]) for host, sets in found for cards in sets]
        mine = spread(MINE, [found[0][0]], found[0][0], given_part["gpus"])
        event(f"{len(scores)} sets")
        assert mine == pytest.approx(max(scores))


def every_set(spec, cluster):
    """Of each worker that fits best before any score, all sets of cards that it could give."""
    names = {way.worker: way.rank for way in best(ways(spec, fleet(cluster)))}
    for host in fleet(cluster):
        if host.name in names:
            fitting = [card for card in host.cards if bare_fits(spec["gpus"], card)]
            fitting = [card for card in fitting if usable(card, spec) == names[host.name]]
            sets = [
                each for each in combinations(fitting, spec["gpus"]["count"]) if len({card.kind for card in each}) == 1
            ]
            yield host, sets


def tightest(spec, cluster):
    """Each of these workers with the set of its cards that has the least free memory."""
    return [
        (host, min(sets, key=lambda each: sum(card.free for card in each))) for host, sets in every_set(spec, cluster)
    ]


def part(spec, cards):
    gpus = [{"runtime": card.runtime, "index": card.index} for card in cards]
    return {"ram_mib": spec.get("ram", 0), "gpus": gpus}


@FEWER
@given(clusters(most=4), model_specs() | card_specs(), st.sampled_from(("pack", "spread")), st.integers(1, 4))
def test_scores_lie_between_0_and_1(cluster, spec, strategy, replicas):
    spec = {**spec, "strategy": strategy, "replicas": replicas}
    assume(not takes_no_division(spec))
    plan = bayplan.plan(workload(spec, "new"), cluster)

    for scored in (*plan["replicas"], *plan["options"]):
        assert 0 <= scored["score"] <= 1

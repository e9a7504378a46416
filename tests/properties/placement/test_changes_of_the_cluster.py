"""More never makes less: a free card or worker turns no yes into a no; names and order of workers mean nothing."""

from hypothesis import assume, event, given, strategies as st

import bayplan
from properties.placement.documents import (
    FEWER,
    card_specs,
    clusters,
    demands,
    further_cards,
    further_workers,
    specs,
    workload,
)
from properties.placement.fitting import takes_no_division
from properties.placement.fleet import flag_of

VERDICTS = ("infeasible", "waiting", "partly", "fits")


@st.composite
def equal_replicas(draw):
    """Several replicas, of one worker each, without a limit of cost."""
    spec = {**draw(card_specs()), **draw(st.just({}) | demands()), "replicas": draw(st.integers(1, 4))}
    spec["gpus"].pop("locality", None)
    spec.pop("cost", None)
    return spec


def keeps_together(spec):
    """A flag for more cards than any worker has lets them part; one more card can then forbid it."""
    return not (spec.get("distributed") and flag_of(spec, "--tensor-parallel-size"))


def answer(spec, cluster):
    plan = bayplan.plan(workload(spec, "new"), cluster)
    return VERDICTS.index(plan["verdict"]), plan["placed"]


@FEWER
@given(clusters(most=3), specs() | equal_replicas(), st.data())
def test_a_further_card_never_turns_yes_into_no(cluster, spec, data):
    assume(keeps_together(spec) and not takes_no_division(spec))
    place = data.draw(st.integers(0, len(cluster["workers"]) - 1))
    card = data.draw(further_cards)
    lucky = cluster["workers"][place]
    more = {**lucky, "gpus": [*lucky["gpus"], {**card, "index": 99}]}
    larger = {**cluster, "workers": [more if each is lucky else each for each in cluster["workers"]]}

    before, after = answer(spec, cluster), answer(spec, larger)

    event(f"{VERDICTS[before[0]]} -> {VERDICTS[after[0]]}")
    assert before <= after


@FEWER
@given(clusters(most=3), specs() | equal_replicas(), further_workers)
def test_a_further_worker_never_turns_yes_into_no(cluster, spec, worker):
    assume(keeps_together(spec) and not takes_no_division(spec))
    larger = {**cluster, "workers": [*cluster["workers"], {**worker, "name": "further"}]}

    before, after = answer(spec, cluster), answer(spec, larger)

    event(f"{VERDICTS[before[0]]} -> {VERDICTS[after[0]]}")
    assert before <= after


@FEWER
@given(clusters(most=4), specs() | equal_replicas(), st.data())
def test_names_and_order_of_workers_change_no_verdict(cluster, spec, data):
    assume(not takes_no_division(spec))
    order = data.draw(st.permutations(cluster["workers"]))
    names = dict(zip((each["name"] for each in order), data.draw(st.permutations(("z", "a", "m", "b"))), strict=False))
    renamed = {
        "workers": [{**each, "name": names[each["name"]]} for each in order],
        "bookings": [{**each, "worker": names[each["worker"]]} for each in cluster["bookings"]],
    }

    assert answer(spec, renamed) == answer(spec, cluster)

"""How many replicas a plan places, against the most that HiGHS finds room for."""

from hypothesis import assume, event, given, strategies as st

import bayplan
from properties.placement.copies import most_copies
from properties.placement.documents import FEWER, OTHERS, clusters, demands, model_specs, workload
from properties.placement.fitting import takes_no_division
from properties.placement.fleet import fleet

some = st.integers(1, 6)


@st.composite
def shares(draw, count):
    """A number of MiB, and perhaps of percent, of each of `count` cards."""
    gpus = {"count": draw(count), "memory": draw(st.sampled_from((1, 4, 7, 8, 12, 24)))}
    percent = draw(st.sampled_from((None, None, 30, 50)))
    return {"gpus": gpus | ({} if percent is None else {"computePercent": percent})}


def check_verdict(plan, spec, cluster):
    """Infeasible is what not even the emptied cluster holds."""
    event(plan["verdict"])
    if plan["placed"] == 0:
        emptied = most_copies(spec, fleet(cluster, emptied=True))
        assert plan["verdict"] == ("waiting" if emptied else "infeasible")


@FEWER
@given(clusters(names=OTHERS), shares(st.just(1)), st.just({}) | demands(), some)
def test_replicas_of_one_card_fill_whatever_there_is(cluster, spec, demanded, replicas):
    demanded.pop("cost", None)
    spec = {**spec, **demanded, "replicas": replicas}

    plan = bayplan.plan(workload(spec), cluster)

    assert plan["placed"] == min(replicas, most_copies(spec, fleet(cluster)))
    check_verdict(plan, spec, cluster)


@FEWER
@given(clusters(most=4, names=OTHERS), shares(st.integers(2, 3)), some)
def test_replicas_of_several_cards_waste_none_under_pack(cluster, spec, replicas):
    """The set with the least free memory is taken, unless that would leave room for fewer copies."""
    spec = {**spec, "strategy": "pack", "replicas": replicas}

    plan = bayplan.plan(workload(spec), cluster)

    assert plan["placed"] == min(replicas, most_copies(spec, fleet(cluster)))
    check_verdict(plan, spec, cluster)


@FEWER
@given(clusters(most=4, names=OTHERS), model_specs(("vllm", "sglang", "custom")), some)
def test_nothing_is_placed_that_an_exact_solver_has_no_room_for(cluster, spec, replicas):
    spec = {**spec, "replicas": replicas}
    spec.pop("distributed", None)
    assume(not takes_no_division(spec))
    most = most_copies(spec, fleet(cluster))

    plan = bayplan.plan(workload(spec), cluster)

    assert min(1, most) <= plan["placed"] <= min(replicas, most)
    check_verdict(plan, spec, cluster)

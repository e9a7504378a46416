"""The same question gets the same answer: again, in another order of keys, and with another seed up to ties."""

from hypothesis import assume, given, strategies as st

import bayplan
from properties.placement.documents import FEWER, OTHERS, clusters, specs, workload
from properties.placement.fitting import takes_no_division

FIRST = ("tier", "score", "tp", "pp")


def backwards(value):
    """The same document, its keys written in the opposite order."""
    if isinstance(value, dict):
        return {key: backwards(each) for key, each in reversed(value.items())}
    return [backwards(each) for each in value] if isinstance(value, list) else value


@FEWER
@given(clusters(most=4), specs(replicas=st.integers(1, 3)), st.integers(0, 9))
def test_twice_asked_and_once_backwards(cluster, spec, seed):
    assume(not takes_no_division(spec))
    once = bayplan.plan(workload(spec), cluster, seed=seed)

    assert bayplan.plan(workload(spec), cluster, seed=seed) == once
    assert bayplan.plan(backwards(workload(spec)), backwards(cluster), seed=seed) == once


@FEWER
@given(clusters(most=4, names=OTHERS), specs(), st.integers(1, 1000))
def test_a_seed_breaks_ties_and_nothing_else(cluster, spec, seed):
    assume(not takes_no_division(spec))
    plans = [bayplan.plan(workload(spec), cluster, seed=each) for each in (0, seed)]

    first, second = ([[each[name] for name in FIRST] for each in plan["replicas"]] for plan in plans)
    assert plans[0]["verdict"] == plans[1]["verdict"]
    assert first == second

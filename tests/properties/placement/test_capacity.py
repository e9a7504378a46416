"""Nothing is ever given twice: every card, core and MiB counted again after several plans."""

import re

from hypothesis import assume, event, given, strategies as st

import bayplan
from properties.placement.books import committed, excesses, holds_whole, items
from properties.placement.documents import FEWER, clusters, large_models, specs, workload
from properties.placement.fitting import takes_no_division

several = st.lists(specs(replicas=st.integers(1, 4)), min_size=1, max_size=3)


def twice(both):
    cluster, spec = both
    return cluster, [spec, {**spec, "replicas": 2}]


@FEWER
@given(st.tuples(clusters(most=3), several) | large_models().map(twice))
def test_plans_never_go_over_capacity(both):
    cluster, wanted = both
    assume(not any(takes_no_division(spec) for spec in wanted))
    named = {f"new{number}": spec for number, spec in enumerate(wanted)}

    answer = bayplan.plan([workload(spec, name) for name, spec in named.items()], cluster)

    event(f"placed {sum(plan['placed'] for plan in items(answer))}")
    after = committed(cluster, answer, {name for name, spec in named.items() if holds_whole(spec)})
    assert excesses(cluster, after) == []


@FEWER
@given(clusters(most=3), specs(replicas=st.integers(1, 2)))
def test_only_leave_to_overcommit_goes_over_and_the_warning_says_by_how_much(cluster, spec):
    assume(not takes_no_division(spec))
    spec = {**spec, "allowOvercommit": True}

    plan = bayplan.plan(workload(spec, "new"), cluster)

    over = excesses(cluster, committed(cluster, plan, {"new"} if holds_whole(spec) else ()))
    warned = [warning for warning in plan["warnings"] if warning.startswith("overcommit")]
    said = sum(int(re.search(r"takes (\d+) MiB", warning).group(1)) for warning in warned)
    event("oversold" if over else "within")
    assert all(type(excess) is int for _, excess in over)
    assert said == sum(excess for _, excess in over)

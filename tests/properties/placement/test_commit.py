"""A plan is what is committed: planned on, or written down and read again, it leaves the same."""

import numpy as np
from hypothesis import assume, event, given, strategies as st

import bayplan
from bayplan.cluster.snapshot import Snapshot
from bayplan.library.plan import planned
from bayplan.manifests.native.cluster_writer import write_cluster
from properties.placement.documents import FEWER, clusters, specs, workload
from properties.placement.fitting import takes_no_division

SAYS_WHEN = ("revision", "warnings")
pairs = st.tuples(specs(replicas=st.integers(0, 3)), specs(replicas=st.integers(1, 3)))


def without(plan, names):
    return {key: value for key, value in plan.items() if key not in names}


@FEWER
@given(clusters(most=3), pairs)
def test_a_planner_stands_where_a_reader_of_its_cluster_would(cluster, wanted):
    assume(not any(takes_no_division(spec) for spec in wanted))
    planner = planned([workload(wanted[0]), workload(wanted[1], "next")], cluster).planner.placement

    read = Snapshot.of(planner.state.result())

    for name in planner.state.table.schema.state:
        kept = planner.state.table.gather((name,), np.arange(len(read.workers)))[name]
        assert kept.tolist() == read.table.columns[name].tolist(), name


@FEWER
@given(clusters(most=3), pairs)
def test_a_chain_of_files_plans_as_one_call_does(cluster, wanted):
    assume(not any(takes_no_division(spec) for spec in wanted))
    first, second = workload(wanted[0]), workload(wanted[1], "next")
    made = planned([first], cluster)
    planner, plans = made.planner.placement, made.plans
    written = write_cluster(planner.state.result())
    event(f"placed {len(plans[0].replicas)}, removed {len(plans[0].removals)}")

    chained, at_once = bayplan.plan(second, written), bayplan.plan([first, second], cluster)["items"][1]

    assert without(chained, SAYS_WHEN) == without(at_once, SAYS_WHEN)

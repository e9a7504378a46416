"""Many equal replicas are counted: the same plans as one by one, and never more than there is."""

from random import Random

import numpy as np
import pytest
from hypothesis import event, given, strategies as st

from bayplan.cluster.invariants import no_drift, within_capacity
from bayplan.cluster.ledger import Ledger
from bayplan.cluster.recount import recount
from bayplan.library.plan import planned
from bayplan.placement.answers.plan_document import plan_document
from bayplan.placement.gangs import equal_members
from properties.placement.documents import FEWER, MINE, OTHERS, make_bookings, models, said, workload

HOST = {"cpu": 64, "ram": 4096}
SOME_CPU = st.sampled_from((0, 1, 2))


@st.composite
def workers(draw):
    """A few kinds of worker, several of each: cards with and without places, observed use, resources by name."""
    fleet = []
    for kind in range(draw(st.integers(1, 3))):
        places = draw(st.sampled_from((None, None, 2, 3, 8)))
        cards = said(
            model="L4", memory=draw(st.sampled_from((24, 40, 97))), count=draw(st.integers(1, 4)),
            observedUsed=draw(st.sampled_from((None, None, 0, 3))), places=places,
        )  # fmt: skip
        count = cards.pop("count")
        worker = said(
            **HOST, gpus=[{**cards, "index": index} for index in range(count)], sharing=places and "time-slicing",
            resources={"rdma/ib": draw(st.integers(0, 9))},
            reserved=draw(st.sampled_from((None, {"gpuMemory": 2, "ram": 100}))),
        )  # fmt: skip
        fleet += [{"name": f"w{kind}-{number}", **worker} for number in range(draw(st.integers(1, 5)))]
    return fleet


@st.composite
def clusters(draw):
    """Workers, of which others hold parts in about half of the clusters."""
    fleet = draw(workers())
    seed = draw(st.just(0) | st.integers(1, 100))
    runtimes = [{**each, "gpus": [{**gpu, "runtime": "cuda"} for gpu in each["gpus"]]} for each in fleet]
    held = make_bookings(Random(seed), runtimes, OTHERS) if seed else []  # noqa: S311 (test data, no secret)
    return {"workers": fleet, "bookings": held}


@st.composite
def deployments(draw):
    """Pods that ask for places on shared cards, or for whole cards where none is shared; with a resource or without."""
    limits = {"nvidia.com/gpu": draw(st.integers(1, 3)), "cpu": draw(SOME_CPU)}
    limits |= draw(st.sampled_from(({}, {"rdma/ib": 1})))
    containers = [{"name": "main", "resources": {"limits": limits}}]
    template = {"metadata": {"labels": {"app": MINE}}, "spec": {"containers": containers}}
    spec = {"replicas": draw(st.integers(18, 60)), "selector": {"matchLabels": {"app": MINE}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": MINE}, "spec": spec}


@st.composite
def workloads(draw):
    """Models whose engines want headroom, with and without a fraction, shares, whole cards, no cards; resources."""
    backend = draw(st.sampled_from(("vllm", "sglang", "custom")))
    fraction = {"vllm": "--gpu-memory-utilization=0.5", "sglang": "--mem-fraction-static=0.4"}.get(backend)
    args = [fraction] if fraction and draw(st.booleans()) else []
    kinds = (
        {"model": draw(models(30)), "backend": {"name": backend, "args": args}},
        {"gpus": {"memory": draw(st.sampled_from((1, 5, 8, 12))), "count": draw(st.integers(1, 2))}},
        {"gpus": {"memory": 3, "computePercent": draw(st.sampled_from((10, 33, 50)))}},
        {"gpus": {"computePercent": draw(st.sampled_from((10, 33, 50)))}},
        {"gpus": {"count": 1}},
        {},
    )
    spec = draw(st.sampled_from(kinds)) | said(
        resources=draw(st.sampled_from((None, None, {"rdma/ib": 1}, {"rdma/ib": 2}))),
        replicas=draw(st.integers(18, 60)), cpu=draw(SOME_CPU), strategy=draw(st.sampled_from((None, "spread"))),
    )  # fmt: skip
    return workload(spec)


def fullest(planner, plans):
    """What a reader of the plans sees, and all columns once they are booked."""
    table = planner.state.table
    columns = table.gather(tuple(table.schema.state), np.arange(table.size))
    shown = [plan_document(each, planner, 0) for each in plans]
    return shown, {name: column.tolist() for name, column in columns.items()}


@FEWER
@given(clusters(), workloads() | deployments())
def test_counted_as_one_by_one_and_never_oversold(cluster, asked):
    """A further replica stands on the columns, so they are compared, too."""
    after = workload({"gpus": {"memory": 2}, "resources": {"rdma/ib": 1}}, "next")
    made = planned([asked, after], cluster)
    counting, counted = made.planner.placement, made.plans
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equal_members, "FEW_REPLICAS", 10**9)
        made = planned([asked, after], cluster)
        plain, single = made.planner.placement, made.plans

    event(f"{counted[0].verdict}, {len(counted[0].replicas) > 1}")
    assert fullest(counting, counted) == fullest(plain, single)
    before, ledger = Ledger.of(counting.state.cluster), Ledger.of(counting.state.result())
    assert {str(each) for each in within_capacity(ledger)} <= {str(each) for each in within_capacity(before)}
    assert no_drift(ledger) == []
    for row, worker in enumerate(ledger.workers):
        held = [entry.booking for entry in ledger.held_on(worker.name)]
        for name, wanted in recount(worker, held).items():
            kept = counting.state.table.gather((name,), np.array([row]))[name][0].tolist()
            assert (kept[: len(wanted)] if isinstance(wanted, list) else kept) == wanted, name

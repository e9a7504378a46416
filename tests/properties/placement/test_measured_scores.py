"""Scores of what was measured: in their range whatever was measured, and never better for a busier card."""

import pytest
from hypothesis import given, strategies as st

import bayplan
from properties.placement.documents import FEWER

percents = st.none() | st.floats(0, 100)
ages = st.none() | st.sampled_from((0, 120, 121))
CARD = ("gpuPercent", "gpuStdev", "memoryPercent", "memoryStdev", "memoryBandwidthPercent")
HOST = ("cpuPercent", "cpuStdev", "ramPercent", "ramStdev")
RISING = {"gpuPercent", "memoryBandwidthPercent", "cpuPercent", "ramPercent"}


def known(fields):
    return {name: value for name, value in fields.items() if value is not None}


cards = st.fixed_dictionaries(dict.fromkeys(CARD, percents)).map(known)
hosts = st.fixed_dictionaries(dict.fromkeys(HOST, percents)).map(known)


@st.composite
def loads(draw, number=2):
    gpus = [{"index": index, **draw(cards)} for index in range(number)]
    return {**known({"ageSeconds": draw(ages)}), **draw(hosts), "gpus": gpus}


asks = st.fixed_dictionaries(
    {
        "gpus": st.sampled_from(
            ({"count": 1}, {"count": 2}, {"memory": 8_000}, {"count": 2, "memory": 4_000, "computePercent": 30})
        )
    },
    optional={
        "cpu": st.sampled_from((0.5, 3)),
        "ram": st.just(1_000),
        "dryRun": st.fixed_dictionaries({"gpuPercent": st.floats(0, 100), "memory": st.integers(0, 50_000)}).map(
            lambda record: {"A100": record}
        ),
    },
)
directions = st.sampled_from(("spread", "pack"))
utilizations = st.fixed_dictionaries({"direction": directions}).map(lambda given: ("utilization", given))
packings = st.fixed_dictionaries(
    {"resource": st.sampled_from(("gpu", "gpu-memory", "cpu")), "targetPercent": st.floats(1e-9, 99.9)}
).map(lambda given: ("load-packing", given))
risks = st.fixed_dictionaries(
    {
        "resources": st.lists(st.sampled_from(("gpu", "gpu-memory", "cpu", "ram")), min_size=1, max_size=3),
        "margin": st.floats(-2, 5),
        "sensitivity": st.floats(-2, 5),
    }
).map(lambda given: ("load-risk", given))


def term(plugin, parameters, load, spec):
    """The scorer's own score of the one worker."""
    worker = {"name": "a", "cpu": 8, "ram": 64_000, "utilization": load}
    worker["gpus"] = {"count": 2, "model": "A100-SXM4-40GB", "memory": 40_960}
    config = {
        "scheduler": "placement",
        "plugins": [{"type": plugin, "parameters": parameters}, {"type": "max-score"}],
        "schedulingProfiles": [{"name": "mine", "plugins": [{"pluginRef": plugin}, {"pluginRef": "max-score"}]}],
    }
    workload = {"metadata": {"name": "mine"}, "spec": spec}
    (found,) = bayplan.why([workload], {"workers": [worker]}, config=config)["workers"]
    return found["score"]["terms"][0]["score"]


def busier(load, rise):
    """The same worker, but whatever was measured is more."""
    more = {name: min(100, value + rise) if name in RISING else value for name, value in load.items() if name != "gpus"}
    gpus = [
        {name: min(100, value + rise) if name in RISING else value for name, value in gpu.items()}
        for gpu in load["gpus"]
    ]
    return {**more, "gpus": gpus}


@FEWER
@given(utilizations | packings | risks, loads(), asks)
def test_scores_stay_in_their_range(plugin, load, spec):
    assert 0.0 <= term(*plugin, load, spec) <= 1.0


@FEWER
@given(loads(), asks, st.floats(0, 100))
def test_a_busier_worker_never_scores_higher_under_spread(load, spec, rise):
    assert term("utilization", {}, busier(load, rise), spec) <= term("utilization", {}, load, spec) + 1e-12


@FEWER
@given(loads(), asks, st.floats(0, 100))
def test_a_busier_worker_never_scores_lower_under_pack(load, spec, rise):
    """By what is measured: a trial run that would overload the card is another matter."""
    parameters = {"direction": "pack", "weights": {"dryRun": 0}}

    assert (
        term("utilization", parameters, busier(load, rise), spec) >= term("utilization", parameters, load, spec) - 1e-12
    )


@FEWER
@given(loads(), asks, st.floats(0, 100), risks)
def test_a_busier_worker_is_never_less_of_a_risk(load, spec, rise, plugin):
    assert term(*plugin, busier(load, rise), spec) <= term(*plugin, load, spec) + 1e-12


@FEWER
@given(st.floats(0, 100), st.floats(0, 100), st.floats(1, 99))
def test_packing_rises_to_its_target_and_falls_behind_it(one, other, target):
    """A load that is behind it by rounding only counts as at the target."""
    low, high = sorted((one, other))
    reached = target + 1e-9
    less, more = (
        term("load-packing", {"resource": "cpu", "targetPercent": target}, {"cpuPercent": load}, {"cpu": 0})
        for load in (low, high)
    )
    if high <= reached:
        assert less <= more + 1e-12
    elif low > reached:
        assert less >= more - 1e-12
    else:
        assert less >= target / 100 - 1e-12 >= more - 2e-12


@FEWER
@given(st.lists(st.integers(0, 30_000), min_size=2, max_size=5))
def test_the_two_policies_of_sharing_mirror_each_other(booked):
    workers = [
        {"name": f"w{row}", "gpus": {"count": 1, "model": "A100", "memory": 40_960}} for row in range(len(booked))
    ]
    bookings = [
        {"workload": "x", "replica": row, "worker": f"w{row}", "gpus": [{"index": 0, "memory": mib}]}
        for row, mib in enumerate(booked)
    ]
    saving, performing = (
        {
            each["worker"]: each["score"]["terms"][0]["score"]
            for each in bayplan.why(
                [{"metadata": {"name": "mine"}, "spec": {"gpus": {"memory": 1_000}, "strategy": strategy}}],
                {"workers": workers, "bookings": bookings},
            )["workers"]
        }
        for strategy in ("vgpu-cost-saving", "vgpu-high-performance")
    )
    total = 2.0 if len(set(booked)) == 1 else 1.0

    assert [saving[name] + performing[name] for name in saving] == pytest.approx([total] * len(booked))
    assert sorted(saving, key=saving.__getitem__) == sorted(saving, key=lambda name: booked[int(name[1:])])

"""Odd amounts end in an answer, or in an input error with its place; never in anything else."""

from hypothesis import event, given, strategies as st

import bayplan
from bayplan.framework.errors import InputError
from properties.placement.documents import FEWER, MINE, workload

odd = st.sampled_from(
    (None, 0, 1, 2**31, 2**40, 2**53, 2**62, 2**63, 2**64, -1, 0.5, float("inf"), float("nan"), "1Ki", "9Ei", "")
)
tame = st.sampled_from((None, 0, 1, 24, 2**20, 2**40))
amounts = st.sampled_from((odd, tame, tame, tame)).flatmap(lambda each: each)
numbers = st.sampled_from((None, 0, 1, 2, 7, 2**31, 2**40))


def fields(**values):
    return st.fixed_dictionaries({}, optional=values)


cards = fields(
    runtime=st.sampled_from(("cuda", "mps", "other")), model=st.sampled_from(("L4", "?", "")), memory=amounts,
    observedUsed=amounts, health=st.sampled_from(("healthy", "unhealthy")), numa=numbers,
)  # fmt: skip
workers = fields(
    gpus=st.lists(cards, max_size=3), cpu=amounts, ram=amounts, usdPerHour=amounts,
    carbonGramsPerKwh=amounts, reserved=fields(ram=amounts, gpuMemory=amounts),
)  # fmt: skip
bookings = fields(
    replica=numbers, cpu=amounts, ram=amounts, priority=numbers,
    gpus=st.lists(fields(index=st.integers(0, 3), memory=amounts, computePercent=amounts), max_size=2),
)  # fmt: skip
architectures = fields(
    heads=numbers, kvHeads=numbers, layers=numbers, vocabSize=numbers, hiddenSize=numbers, headDim=numbers,
    visionHeads=numbers,
)  # fmt: skip
models = fields(
    weights=amounts, kvCache=amounts, overhead=amounts, context=numbers, concurrency=numbers,
    architecture=architectures, loras=st.lists(amounts, max_size=2), draft=amounts,
)  # fmt: skip
FLAGS = (
    "--tensor-parallel-size",
    "--pipeline-parallel-size",
    "--data-parallel-size",
    "--gpu-memory-utilization",
    "-ngl",
)
backends = st.fixed_dictionaries(
    {"name": st.sampled_from(("vllm", "sglang", "llama-cpp", "custom"))},
    optional={
        "args": st.lists(
            st.tuples(st.sampled_from(FLAGS), numbers).map(lambda pair: f"{pair[0]}={pair[1]}"), max_size=2
        )
    },
)
specs = fields(
    replicas=st.sampled_from((0, 1, 2, 3)), model=models, backend=backends, cpu=amounts, ram=amounts,
    gpus=fields(count=st.sampled_from((0, 1, 2, 5, 2**20)), memory=amounts, cardMemory=amounts, computePercent=amounts),
    distributed=st.booleans(), cpuOffload=st.booleans(), allowOvercommit=st.booleans(),
    strategy=st.sampled_from(("pack", "spread")), cost=fields(maxUsdPerHour=amounts), maxCarbonGramsPerKwh=amounts,
)  # fmt: skip


@st.composite
def clusters(draw):
    fleet = [{"name": f"w{place}", **each} for place, each in enumerate(draw(st.lists(workers, max_size=3)))]
    names = st.sampled_from([each["name"] for each in fleet] or ["nowhere"])
    held = [
        {"workload": draw(st.sampled_from((MINE, "other"))), "replica": place, "worker": draw(names), **each}
        for place, each in enumerate(draw(st.lists(bookings, max_size=2)))
    ]
    return {"workers": fleet, "bookings": held}


def answered(function, *arguments):
    """The answer, or None where the input was refused as it should be."""
    try:
        return function(*arguments)
    except InputError as error:
        refused = error
    event("refused")
    assert refused.place
    assert refused.next
    return None


@FEWER
@given(clusters(), specs)
def test_every_amount_is_answered_or_refused_with_its_place(cluster, spec):
    plan = answered(bayplan.plan, workload(spec), cluster)
    why = answered(bayplan.why, workload(spec), cluster)

    assert (plan is None) == (why is None)
    if plan is not None:
        event(plan["verdict"])
        assert plan["verdict"] == why["verdict"]
        assert plan["placed"] == len(plan["replicas"])

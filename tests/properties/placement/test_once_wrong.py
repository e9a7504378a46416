"""What the properties found: each once got another answer."""

import pytest

import bayplan
from properties.placement.documents import workload

ARCHITECTURE = {"heads": 8, "kvHeads": 2, "layers": 6, "vocabSize": 256}


def model(weights, **others):
    return {"weights": weights, "kvCache": 0, "overhead": 0, "architecture": ARCHITECTURE, **others}


def cluster(*gpus, held=(), workers=1):
    cards = [dict(zip(("model", "memory", "observedUsed"), gpu, strict=False)) for gpu in gpus]
    bookings = [
        {
            "workload": name,
            "replica": number,
            "worker": "w0",
            "gpus": [{"runtime": "cuda", "index": 0, "memory": memory}],
        }
        for number, (name, memory) in enumerate(held)
    ]
    return {"workers": [{"name": f"w{number}", "gpus": cards} for number in range(workers)], "bookings": bookings}


TEN, EIGHT = {"count": 1, "memory": 10}, {"count": 1, "memory": 8}

CASES = {
    "what others use is theirs for the second replica, too": (
        {"gpus": TEN, "replicas": 3}, cluster(("L4", 24, 13)), ("partly", [0]),
    ),
    "use that is our own goes with the bookings": (
        {"gpus": TEN}, cluster(("L4", 24, 20), held=[("other", 20)]), ("waiting", []),
    ),
    "of two models the set with the least free memory": (
        {"gpus": {"count": 2, "memory": 8}},
        cluster(("L4", 8), ("L4", 8), ("L4", 40), ("T4", 24), ("T4", 24)),
        ("fits", [0, 1]),
    ),
    "of two models the card with fewer replicas": (
        {"gpus": EIGHT, "strategy": "spread", "replicas": 2},
        cluster(("L4", 24), ("T4", 24), held=[("job", 8)]),
        ("fits", [1]),
    ),
    "one card of llama.cpp is of the model that is preferred": (
        {"model": model(8), "backend": {"name": "llama-cpp"}, "gpus": {"models": ["L4", "T4"]}},
        cluster(("L4", 40), ("T4", 24)),
        ("fits", [0]),
    ),
    "a model of no size has layers": (
        {"model": model(0), "backend": {"name": "llama-cpp"}, "distributed": True}, cluster(workers=2),
        ("infeasible", []),
    ),
    "flags that no number of cards here can meet": (
        {"model": model(8), "backend": {"name": "vllm", "args": ["--data-parallel-size=2"]}, "distributed": True},
        cluster(("L4", 24)),
        ("infeasible", []),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "on", "wanted"), CASES.values(), ids=CASES)
def test_the_answer(spec, on, wanted):
    plan = bayplan.plan(workload(spec), on)

    cards = [gpu["index"] for replica in plan["replicas"] for part in replica["workers"] for gpu in part["gpus"]]
    assert (plan["verdict"], cards) == wanted

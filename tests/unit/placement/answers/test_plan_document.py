"""A plan as JSON: the fields of the contract, and what stands in them."""

import json

import pytest

from bayplan.cluster.mig import MigState
from bayplan.placement.answers.plan_document import NOTE, plan_document
from fleets import booking, whole
from unit.placement.builders import LLAMA, gpu, need, planner, role, sized, worker

pytestmark = pytest.mark.usefixtures("no_headroom")


def server(name, *sizes, **others):
    cards = [gpu(number, memory_mib=mib, uuid=f"GPU-{name}{number}") for number, mib in enumerate(sizes)]
    return worker(name, cards=cards, **others)


def document(asked, *workers, bookings=(), seed=0):
    plans = planner(*workers, bookings=bookings, seed=seed)
    return plan_document(plans.plan(asked), plans, seed)


MODEL = role(need(140, **LLAMA), "vllm", ram_mib=9, cpu_milli=500)
A = server("a", 100, 100, ram_mib=50, cpu_milli=1000, usd_per_hour=2.5)


def test_the_whole_document():
    assert document(sized(MODEL, name="chat", warnings=("odd",)), A, seed=7) == {
        "kind": "Plan",
        "workload": "chat",
        "namespace": "default",
        "revision": 1,
        "seed": 7,
        "note": NOTE,
        "verdict": "fits",
        "desired": 1,
        "minimum": 1,
        "placed": 1,
        "proven": True,
        "replicas": [
            {
                "index": 0,
                "role": None,
                "tier": "one-worker",
                "score": pytest.approx((9 / 50 + 2 * 0.7) / 3),
                "cost_usd_per_hour": 2.5,
                "tp": 2,
                "pp": 1,
                "workers": [
                    {
                        "worker": "a",
                        "ram_mib": 9,
                        "cpu_milli": 500,
                        "resources": {},
                        "gpus": [
                            {
                                "runtime": "cuda",
                                "index": index,
                                "uuid": f"GPU-a{index}",
                                "model": "A100-SXM4-40GB",
                                "memory_mib": 70,
                                "headroom_mib": 0,
                                "compute_percent": None,
                                "places": None,
                                "mig": None,
                            }
                            for index in (0, 1)
                        ],
                        "layers": None,
                    }
                ],
                "engine_args": ["--tensor-parallel-size=2", "--gpu-memory-utilization=0.7210"],
            }
        ],
        "options": [
            {
                "chosen": True,
                "tier": "one-worker",
                "workers": ["a"],
                "gpus": 2,
                "score": pytest.approx((9 / 50 + 2 * 0.7) / 3),
                "cost_usd_per_hour": 2.5,
            }
        ],
        "removals": [],
        "reconfigurations": [],
        "victims": [],
        "rejections": [],
        "unknowns": [],
        "warnings": ["odd"],
    }


def test_what_blocks_it():
    found = document(sized(role(gpus={"count": 3})), A, worker("b"))

    assert (found["verdict"], found["placed"], found["replicas"], found["options"]) == ("infeasible", 0, [], [])
    assert [(each["code"], each["workers"], each["curable"]) for each in found["rejections"]] == [
        ("gpu-count-short", 2, False)
    ]
    assert found["rejections"][0]["message"] == "needs 3 usable cards of one model, has 2 of 2"


def only_card(asked, *workers):
    return document(asked, *workers)["replicas"][0]["workers"][0]["gpus"][0]


def test_whole_cards_are_shown_with_their_size():
    assert only_card(sized(role(gpus={"count": 1})), A)["memory_mib"] == 100
    assert only_card(sized(role(gpus={"count": 1})), server("b", None))["memory_mib"] is None


def test_compute_is_shown_in_percent():
    card = only_card(sized(role(gpus={"compute_milli": 125})), A)

    assert (card["memory_mib"], card["compute_percent"]) == (None, 12.5)


def test_layers_on_cards():
    found = document(sized(role(need(160, **LLAMA), "llama-cpp", cpu_offload=True)), server("a", 100, ram_mib=500))
    (part,) = found["replicas"][0]["workers"]

    assert (found["replicas"][0]["tier"], part["layers"], part["ram_mib"]) == ("partial-offload", 50, 60)


def test_removals():
    found = document(sized(MODEL, replicas=0), A, bookings=[booking("mine", whole(0), on="a")])

    assert [(each["replica"], each["worker"]) for each in found["removals"]] == [(0, "a")]


@pytest.mark.parametrize("asked", [sized(MODEL), sized(role(gpus={"count": 9})), sized(role())])
def test_it_can_be_written(asked):
    assert json.loads(json.dumps(document(asked, A)))["kind"] == "Plan"


def test_what_is_cut_anew_is_shown_and_told():
    where = worker("a", cards=[gpu(mig=MigState(enabled=False, reconfigurable=True))])

    found = document(sized(role(gpus={"mig": "3g.20gb"})), where)

    assert found["replicas"][0]["workers"][0]["gpus"][0]["mig"] == {"profile": "3g.20gb", "start": 4}
    assert found["reconfigurations"] == [
        {
            "worker": "a", "runtime": "cuda", "index": 0, "enable": True, "remove": [],
            "create": [{"profile": "3g.20gb", "start": 4}],
        }
    ]  # fmt: skip
    assert found["warnings"] == ["mig: cuda:0 of a is switched to MIG, gets 3g.20gb@4"]

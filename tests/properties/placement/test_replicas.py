"""What must hold of every replica that a plan adds, however it came about."""

from hypothesis import assume, event, given, strategies as st

import bayplan
from properties.placement.dividing import layer_mib
from properties.placement.documents import FEWER, clusters, large_models, model_specs, workload
from properties.placement.fitting import takes_no_division
from properties.placement.fleet import backend_of, flag_of


def planned(spec, cluster):
    assume(not takes_no_division(spec))
    replicas = bayplan.plan(workload(spec, "new"), cluster)["replicas"]
    for replica in replicas:
        event(replica["tier"])
    return replicas


@FEWER
@given(st.tuples(clusters(most=4), model_specs()) | large_models(), st.integers(1, 3))
def test_equal_shares_lie_on_cards_of_one_model_and_stages_inside_workers(both, replicas):
    cluster, spec = both
    if backend_of(spec) == "llama-cpp":
        spec["backend"] = {"name": "vllm"}
    widest = max(len(worker["gpus"]) for worker in cluster["workers"])
    for replica in planned({**spec, "replicas": replicas}, cluster):
        gpus = [gpu for part in replica["workers"] for gpu in part["gpus"]]
        dp = int(flag_of(spec, "--data-parallel-size") or 1)
        assert len({(gpu["runtime"], gpu["model"]) for gpu in gpus}) <= 1
        assert len(
            {(part["worker"], gpu["runtime"], gpu["index"]) for part in replica["workers"] for gpu in part["gpus"]}
        ) == len(gpus)
        if gpus:
            assert len(gpus) == replica["tp"] * replica["pp"] * dp
        if replica["tp"] <= widest and backend_of(spec) != "custom":
            assert all(len(part["gpus"]) % replica["tp"] == 0 for part in replica["workers"])


@FEWER
@given(st.tuples(clusters(most=4), model_specs()) | large_models(), st.integers(1, 2))
def test_no_layer_is_lost(both, replicas):
    cluster, spec = both
    spec["backend"] = {"name": "llama-cpp"}
    layers = spec["model"]["architecture"]["layers"]
    for replica in planned({**spec, "replicas": replicas}, cluster):
        parts = [part for part in replica["workers"] if part["layers"] is not None]
        on_cards = sum(part["layers"] for part in parts)
        ram = sum(part["ram_mib"] for part in parts)
        if replica["tier"] == "partial-offload":
            assert 0 < on_cards < layers
            assert ram == -(-(layers - on_cards) * layer_mib(spec["model"]) // 1)
        elif parts:
            assert on_cards == layers
            assert ram == 0
        for part in parts:
            held = part["layers"] * layer_mib(spec["model"]) + len(part["gpus"]) * spec["model"]["overhead"]
            assert sum(gpu["memory_mib"] for gpu in part["gpus"]) >= held
        if "count" in spec.get("gpus", {}) and layers >= spec["gpus"]["count"]:
            assert sum(len(part["gpus"]) for part in replica["workers"]) == spec["gpus"]["count"]

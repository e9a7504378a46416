"""Clusters survive being written down, and nothing that anybody may write ends in a traceback."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, strategies as st

import bayplan
from bayplan.cluster.booking import Booking, Budget, CardBooking
from bayplan.cluster.cluster import Cluster
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.links import LinkSpec, Wiring, wire, wire_listed
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.cluster.numa import Numa, NumaZone
from bayplan.cluster.taint import Taint, TaintEffect
from bayplan.cluster.topology import TopologyPath
from bayplan.cluster.utilization import GpuUtilization, Utilization
from bayplan.cluster.worker import Worker, WorkerStatus
from bayplan.framework.errors import InputError
from bayplan.manifests.fields import read_whole
from bayplan.manifests.native.cluster import collect_cluster
from bayplan.manifests.native.cluster_writer import write_cluster
from bayplan.manifests.reader import Document
from bayplan.manifests.workloads.dialects import read_workloads
from bayplan.manifests.workloads.objects import Kind, objects_of

names = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=5).filter(str.strip)
texts = st.text(max_size=5)
amounts = st.integers(0, 2**30)
numbers = st.floats(0, 10**9) | st.sampled_from((0.1, 1e-7, 5e-324))
percents = st.none() | st.floats(0, 100)
runtimes = st.sampled_from(("cuda", "rocm", "musa"))
maybe = st.none() | amounts

migs = st.builds(
    MigState, st.booleans(), st.booleans(), st.lists(st.builds(MigInstance, names, maybe), max_size=2).map(tuple)
)
gpus = st.builds(
    Gpu,
    index=st.integers(0, 9),
    runtime=runtimes,
    uuid=st.none() | texts,
    model=st.none() | st.sampled_from(("V100", "Mystery 9000", "L4")),
    memory_mib=maybe,
    numa=st.none() | st.integers(0, 3),
    pcie_gen=st.none() | st.integers(0, 7),
    healthy=st.booleans(),
    observed_used_mib=maybe,
    mig=st.none() | migs,
)
card_lists = st.lists(gpus, max_size=4, unique_by=lambda gpu: gpu.card).map(tuple)


@st.composite
def wired(draw):
    """Cards, and links that a document can say."""
    cards = draw(card_lists)
    pairs = [(a.card, b.card) for n, a in enumerate(cards) for b in cards[n + 1 :]]
    listed = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    specs = [
        LinkSpec(a, b, draw(st.sampled_from(("nvlink", "pcie", "xgmi"))), draw(st.none() | numbers)) for a, b in listed
    ]
    short = st.sampled_from(Wiring).map(lambda wiring: wire(wiring, cards))
    return cards, draw(st.none() | short | st.just(wire_listed(specs, cards)))


zones = st.lists(st.integers(0, 9), max_size=3, unique=True).flatmap(
    lambda ids: st.tuples(
        *(
            st.builds(
                NumaZone,
                st.just(zone),
                maybe,
                maybe,
                st.dictionaries(st.sampled_from(ids), st.integers(0, 255), max_size=3),
            )
            for zone in ids
        )
    )
)
numas = st.builds(
    Numa, st.sampled_from(("none", "best-effort", "single-numa-node")), st.sampled_from(("container", "pod")), zones
)
measured = st.builds(
    GpuUtilization,
    st.integers(0, 9),
    runtimes,
    percents,
    percents,
    percents,
    percents,
    percents,
    st.none() | st.booleans(),
    st.none() | numbers,
    st.none() | texts,
)
utilizations = st.builds(
    Utilization,
    st.none() | numbers,
    percents,
    percents,
    percents,
    percents,
    st.lists(measured, max_size=2, unique_by=lambda gpu: gpu.card).map(tuple),
)
topologies = st.builds(TopologyPath, *(st.none() | names for _ in range(5)))


resources = st.dictionaries(names, amounts, max_size=2).map(FrozenMap)


@st.composite
def workers(draw):
    cards, links = draw(wired())
    return Worker(
        name=draw(names),
        status=draw(st.sampled_from(WorkerStatus)),
        labels=draw(st.dictionaries(names, texts, max_size=2)),
        taints=draw(st.lists(st.builds(Taint, names, st.sampled_from(TaintEffect), texts), max_size=2).map(tuple)),
        topology=draw(topologies),
        cpu_milli=draw(maybe),
        ram_mib=draw(maybe),
        gpus=cards,
        links=links,
        mig_slices=draw(st.dictionaries(names, amounts, max_size=2)),
        resources=draw(resources),
        usd_per_hour=draw(st.none() | numbers),
        spot=draw(st.booleans()),
        power_watts=draw(st.none() | numbers),
        carbon_g_per_kwh=draw(st.none() | numbers),
        cached_models=draw(st.dictionaries(names, st.none() | st.floats(0, 1), max_size=2)),
        services=draw(st.lists(names, max_size=2).map(tuple)),
        reserved_ram_mib=draw(amounts),
        reserved_gpu_memory_mib=draw(amounts),
        numa=draw(st.none() | numas),
        utilization=draw(st.none() | utilizations),
        uid=draw(texts),
    )


card_bookings = st.builds(
    CardBooking,
    index=st.integers(0, 9),
    runtime=runtimes,
    memory_mib=maybe,
    compute_milli=st.none() | st.integers(0, 1000),
    mig=st.none() | st.builds(MigInstance, names, st.none() | st.integers(0, 7)),
    headroom_mib=st.integers(0, 1300),
)
bookings = st.builds(
    Booking,
    workload=names,
    replica=st.integers(0, 9),
    worker=names,
    cpu_milli=amounts,
    ram_mib=amounts,
    cards=st.lists(card_bookings, max_size=3, unique_by=lambda booked: booked.card).map(tuple),
    priority=st.integers(-(2**31), 2**31 - 1),
    gang=st.none() | names,
    namespace=names,
    resources=resources,
)
clusters = st.builds(
    Cluster,
    st.lists(workers(), max_size=3, unique_by=lambda worker: worker.name).map(tuple),
    st.lists(bookings, max_size=3).map(tuple),
    st.lists(st.builds(Budget, names, amounts, names), max_size=2, unique_by=lambda budget: budget.key).map(tuple),
)


@given(clusters)
def test_reading_what_was_written_gives_the_same_cluster(cluster):
    data = json.loads(json.dumps(write_cluster(cluster)))

    assert read_whole(collect_cluster, Document(data, "c"), data)[0] == cluster


WORKLOAD = {
    "metadata": {"name": "w", "namespace": "n", "creationTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {
        "replicas": 2,
        "gang": {"minimum": 1, "within": "rack"},
        "roles": [{"name": "a", "cpu": 1}],
        "model": {"weights": "1Gi", "loras": ["1Gi"], "draft": "./d", "architecture": {"heads": 8}, "kvDtype": "fp8"},
        "dryRun": {"A100": {"gpuPercent": 30, "memory": "1Gi"}},
        "backend": {"name": "vllm", "args": ["--gpu-memory-utilization=0.5", "--tensor-parallel-size", "2"]},
        "gpus": {"count": 1, "models": ["A100"], "locality": "any", "minBandwidth": "600Gi"},
        "selector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]},
        "gpuIds": ["w:cuda:0"],
        "tolerations": [{"key": "a", "operator": "Exists", "effect": "NoSchedule"}],
        "cost": {"maxUsdPerHour": 5, "spot": True},
    },
}
CLUSTER = {
    "workers": [
        {
            "name": "a",
            "labels": {"neuronetes.io/mig-config": "1g.5gb:7"},
            "gpus": [{"model": "A100", "memory": "40Gi", "mig": {"slices": [{"profile": "1g.5gb", "start": 0}]}}, {}],
            "links": [[0, 1, "nvlink", 50]],
            "numa": {"zones": [{"id": 0, "distances": [10]}]},
            "utilization": {"gpus": [{"period": "1m"}]},
            "cachedModels": {"m": 0.5},
            "reserved": {"ram": 1},
        }
    ],
    "bookings": [{"workload": "w", "worker": "a", "gpus": [{"index": 0, "mig": {"profile": "1g.5gb", "start": 0}}]}],
    "budgets": [{"workload": "w", "minAvailable": 1}],
}
GPUSTACK = {
    "name": "m",
    "source": "local_path",
    "local_path": "/m",
    "backend": "vLLM",
    "backend_parameters": ["--tensor-parallel-size 2"],
    "worker_selector": {"a": "b"},
    "gpu_selector": {"gpu_ids": ["w:cuda:0"], "gpus_per_replica": 1},
}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "labels": {"scheduling.x-k8s.io/pod-group": "g"}},
    "spec": {
        "containers": [{"resources": {"requests": {"cpu": "1", "nvidia.com/gpu": 1}, "limits": {"memory": "1Gi"}}}],
        "initContainers": [{"restartPolicy": "Always", "resources": {"requests": {"cpu": 1}}}],
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}]
                }
            }
        },
        "schedulingGates": [{"name": "x"}],
        "overhead": {"cpu": "1m"},
    },
}
GROUP = {"kind": "PodGroup", "metadata": {"name": "g"}, "spec": {"minMember": 1, "minResources": {"cpu": 8}}}
POOL = {
    "apiVersion": "neuronetes.io/v1alpha1",
    "kind": "AgentPool",
    "metadata": {"name": "p"},
    "spec": {
        "agentClassRef": {"name": "c"},
        "gpuRequirements": {"count": 1, "type": "A100", "topology": {"locality": "any", "minBandwidth": "600Gi"}},
        "autoscaling": {"metrics": [{"type": "queue-depth", "target": "1"}], "predictive": {"schedules": [{}]}},
        "scheduling": {
            "gangScheduling": {"enabled": True, "minMembers": 1},
            "costOptimization": {"maxCostPerHour": 1, "spotStrategy": {"instanceTypes": ["a"]}},
            "carbonAware": {"enabled": True, "preferredRegions": ["r"]},
            "dataLocality": {"vectorStoreAffinity": ["v"], "localityWeight": "low"},
            "cacheAware": {"enabled": True, "cacheHitWeight": 0.3},
        },
    },
}
CLASS = {"kind": "AgentClass", "metadata": {"name": "c"}, "spec": {"modelRef": {"name": "m"}, "guardrails": [{}]}}
MODEL = {"kind": "Model", "metadata": {"name": "m"}, "spec": {"size": 1, "cachePolicy": {"priority": "low"}}}
BINDING = {"kind": "ToolBinding", "metadata": {"name": "b"}, "spec": {"queueConfig": {"provider": "nats"}}}
DOCUMENTS = (WORKLOAD, CLUSTER, GPUSTACK, POD, GROUP, POOL, CLASS, MODEL, BINDING)

hostile = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from((10**400, -(2**63), 2**63, float("nan"), float("inf"), -0.0, "1e999Gi", "", "a" * 10_000))
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.integers(), inner, max_size=3),
    max_leaves=6,
)


def spots(data, steps=()):
    """Every place in a document at which something may stand."""
    yield steps
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in entries:
        yield from spots(value, (*steps, key))


def with_at(documents, way, value):
    """The documents, with something else at one place."""
    whole = copy.deepcopy(documents)
    holder = whole
    for step in way[:-1]:
        holder = holder[step]
    holder[way[-1]] = value
    return whole


@st.composite
def spoilt(draw):
    documents = [draw(st.sampled_from(DOCUMENTS))]
    return with_at(documents, draw(st.sampled_from(list(spots(documents))[1:])), draw(hostile))


def deep():
    """A list that Python itself cannot print."""
    found = []
    for _ in range(100_000):
        found = [found]
    return found


# Values that Hypothesis cannot show, so they are put at every place in turn.
UNPRINTABLE = {"an integer of 16,610 bits": 10**5000, "a list too deep": deep(), "an object": object()}


@pytest.mark.parametrize("value", UNPRINTABLE.values(), ids=UNPRINTABLE)
def test_what_cannot_be_printed_is_told_and_never_raised(value):
    for document in DOCUMENTS:
        for way in list(spots([document]))[1:]:
            json.dumps(bayplan.validate(with_at([document], way, value)))


@given(spoilt())
def test_whatever_stands_in_a_document_is_told_and_never_raised(documents):
    found = bayplan.validate(documents)

    assert found["valid"] is not bool(found["errors"])
    json.dumps(found)


@given(st.lists(spoilt().map(lambda each: each[0]), max_size=3))
def test_reading_refuses_what_validation_refuses(documents):
    given_ = [Document(each, f"documents[{number}]") for number, each in enumerate(documents)]
    if any(each.kind in (Kind.CLUSTER, Kind.SCHEDULER_CONFIG) for each in objects_of(given_)):
        return
    assert is_readable(given_) is bayplan.validate(given_)["valid"]


def is_readable(documents):
    try:
        read_workloads(documents)
    except InputError as error:
        return error.place == "workloads"
    return True

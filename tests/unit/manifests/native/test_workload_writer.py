"""Native documents can say what every dialect says: what is written reads as the same workload."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from bayplan.cluster.device_offer import Sharing
from bayplan.cluster.gang import Gang, MinResources
from bayplan.cluster.model import Architecture, ModelPart, ModelSpec
from bayplan.cluster.selector import Operator, Requirement, Selector
from bayplan.cluster.taint import TaintEffect, Toleration
from bayplan.cluster.topology import Level
from bayplan.cluster.workload import (
    ANYTHING,
    Backend,
    Container,
    CostLimit,
    DryRun,
    GpuRequest,
    Locality,
    Preemption,
    Role,
    Shape,
    Workload,
    WorkloadId,
)
from bayplan.manifests.native.workload import collect_workload
from bayplan.manifests.native.workload_writer import write_workload
from bayplan.manifests.reader import read_file
from bayplan.manifests.workloads.dialects import read_workloads
from unit.manifests.opened import opened, problems

ROOT = Path(__file__).parents[4]
FILES = sorted(
    [
        *(ROOT / "tests" / "fixtures" / "workloads").glob("*.yaml"),
        ROOT / "tests" / "fixtures" / "dialects" / "neuronetes-guide.yaml",
        ROOT / "tests" / "fixtures" / "dialects" / "training-jobs.yaml",
        *(ROOT / "examples" / "workloads").glob("**/*.yaml"),
    ]
)
EMPTY = Workload(WorkloadId("w"))


def again(workload):
    fields = opened(write_workload(workload))
    found = collect_workload(fields)
    assert problems(fields) == []
    assert fields.findings.warnings == []
    return found


def counted(workload):
    """The same without the fields that do not count beside roles."""
    shape = replace(ANYTHING, strategy=workload.shape.strategy)
    return replace(workload, shape=shape, replicas=1) if workload.roles else workload


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_workloads_of_every_dialect(file):
    for read in read_workloads(read_file(file)):
        assert counted(again(read.workload)) == counted(read.workload)


def of_shape(**fields):
    return replace(EMPTY, shape=Shape(**fields))


def of_gpus(**fields):
    return of_shape(gpus=GpuRequest(**fields))


IN = Requirement("zone", Operator.IN, ("a", "b"))
NAMED = Requirement.of_name("n0")
WORKLOADS = {
    "nothing": EMPTY,
    "identity": Workload(WorkloadId("w", "ns", "u", 7, 1_700_000_000.5), replicas=0),
    "preemption": replace(EMPTY, preemption=Preemption.LOWER_PRIORITY, spread_over=Level.ZONE),
    "an empty gang": replace(EMPTY, gang=Gang()),
    "a gang": replace(EMPTY, gang=Gang(2, Level.RACK, MinResources(1500, 10, 3))),
    "a gang that is only named": replace(EMPTY, gang=Gang(2, declared=False)),
    "roles": replace(
        EMPTY,
        shape=Shape(strategy="spread"),
        roles=(
            Role("a", 3, Shape(cpu_milli=100, strategy="pack"), 5, Preemption.NEVER),
            Role("b", 1, Shape(strategy="spread", ram_mib=7), is_pod=True),
        ),
    ),
    "any card": of_gpus(),
    "cards": of_gpus(
        count=2, models=("A100", "H100"), card_memory_mib=8, locality=Locality.NVLINK, min_bandwidth_gb_per_s=600.0
    ),
    "a share": of_gpus(count=1, memory_mib=10, compute_milli=255),
    "a slice": of_gpus(count=1, mig="1g.5gb", resource="nvidia.com/mig-1g.5gb", per_container=1),
    "a resource": of_gpus(count=2, runtime="cuda", resource="nvidia.com/gpu", per_container=2),
    "a part": of_gpus(count=1, runtime="cuda", fraction=Fraction(333, 1000), compute_milli=333),
    "a part of HAMi": of_gpus(
        count=1, runtime="cuda", fraction=Fraction(1, 2), sharing=Sharing.HAMI, unit="nvidia.com/gpumem-percentage"
    ),
    "containers": of_shape(containers=(Container(100, 5, 1, 200), Container()), guaranteed=False),
    "weights": of_shape(strategy="five-factors", weights=(("model-cache", 30.0), ("carbon", 5.5))),
    "wishes": of_shape(
        regions=("a",), preferred_regions=("b", "c"), near=("x",), anti_affinity=("y",), max_workers_to_score=3
    ),
    "limits": of_shape(cost=CostLimit(1.5, False, 20.0), max_carbon_g_per_kwh=10.0, unknown="what is meant"),
    "flags": of_shape(distributed=True, cpu_offload=True, allow_overcommit=True, cpu_milli=0, ram_mib=0),
    "selectors": of_shape(selector=Selector((NAMED, IN), ((IN,), (NAMED, IN)))),
    "tolerations": of_shape(
        tolerations=(
            Toleration(operator="Exists"),
            Toleration("k", value="v", effect=TaintEffect.NO_EXECUTE, seconds=30.0),
        )
    ),
    "a model": of_shape(
        model=ModelSpec(
            "m", "/p", 1, 2, 3, "fp8", 4, 5, (ModelPart(7), ModelPart(path="./l")), ModelPart(9), Architecture(8, 2)
        ),
        backend=Backend("vllm", ("--tensor-parallel-size=2",), "0.11.0"),
        dry_run=(DryRun("A100", 80.0, 10),),
    ),
    "all that is left": of_shape(model=ModelSpec(kv_rest=True)),
}


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)
def test_what_is_written_reads_as_the_same(workload):
    assert counted(again(workload)) == counted(workload)


def test_defaults_are_left_out():
    assert write_workload(EMPTY)["spec"] == {"replicas": 1}

"""GPUStack models."""

from __future__ import annotations

import pytest

from bayplan.cluster.gpu import GpuId
from bayplan.cluster.model import ModelSpec
from bayplan.cluster.selector import Selector
from bayplan.cluster.workload import Backend, GpuRequest, Shape, Workload, WorkloadId
from bayplan.manifests.workloads.gpustack import collect_gpustack_model
from unit.manifests.opened import opened, places

LEAST = {"name": "m", "source": "local_path", "local_path": "/models/m", "backend": "vLLM"}
MODEL, VLLM = ModelSpec("m", "/models/m"), Backend("vllm")


def test_the_defaults_are_those_of_a_workload_of_our_own():
    assert collect_gpustack_model(opened(LEAST)) == Workload(WorkloadId("m"), Shape(model=MODEL, backend=VLLM))


def test_everything():
    fields = opened(
        LEAST
        | {
            "id": 7,
            "replicas": 2,
            "ready_replicas": 1,
            "backend_parameters": ["--tensor-parallel-size 2", "--max-model-len=8192"],
            "worker_selector": {"zone": "b"},
            "gpu_selector": {"gpu_ids": ["w:cuda:0", "w:cuda:1"], "gpus_per_replica": 2},
            "placement_strategy": "spread",
            "cpu_offloading": True,
            "distributed_inference_across_workers": True,
            "categories": ["llm"],
        }
    )

    assert collect_gpustack_model(fields) == Workload(
        WorkloadId("m"),
        Shape(
            model=MODEL,
            backend=Backend("vllm", ("--tensor-parallel-size", "2", "--max-model-len=8192")),
            gpus=GpuRequest(2),
            selector=Selector.of_labels({"zone": "b"}),
            gpu_ids=(GpuId("w", "cuda", 0), GpuId("w", "cuda", 1)),
            strategy="spread",
            cpu_offload=True,
            distributed=True,
        ),
        2,
    )
    assert not fields.findings.errors
    assert not fields.findings.warnings


BACKENDS = {
    "any case": ("VLLM", "vllm"),
    "sglang": ("SGLang", "sglang"),
    "llama-box": ("llama-box", "llama-cpp"),
    "another engine of GPUStack's": ("vox-box", "custom"),
    "custom": ("custom", "custom"),
}


@pytest.mark.parametrize(("written", "engine"), BACKENDS.values(), ids=BACKENDS)
def test_backends(written, engine):
    assert collect_gpustack_model(opened(LEAST | {"backend": written})).shape.backend == Backend(engine)


@pytest.mark.parametrize(("path", "engine"), [("/m/model.GGUF", "llama-cpp"), ("/m", "vllm")])
def test_without_a_backend_the_file_decides(path, engine):
    fields = opened({"name": "m", "source": "local_path", "local_path": path})

    assert collect_gpustack_model(fields).shape.backend == Backend(engine)
    assert f"{engine} is assumed" in fields.findings.warnings[0]


def test_the_size_of_a_model_in_a_library_is_not_known():
    fields = opened({"name": "m", "source": "huggingface", "huggingface_repo_id": "org/m", "backend": "vllm"})

    assert collect_gpustack_model(fields).shape.model == ModelSpec("org/m")
    assert "source: the size of a model from huggingface is not known" in fields.findings.warnings[0]
    assert "model.weights" in fields.findings.warnings[0]


MORE = {
    "a cache in RAM": ({"extended_kv_cache": {"enabled": True}}, "what extended_kv_cache takes is not known"),
    "a draft": ({"speculative_config": {"enabled": True}}, "write a Workload with model.draft"),
    "neither": ({"extended_kv_cache": {"enabled": False}, "speculative_config": {}}, ""),
}


@pytest.mark.parametrize(("more", "reason"), MORE.values(), ids=MORE)
def test_memory_that_is_not_put_in_numbers_is_not_understood(more, reason):
    unknown = collect_gpustack_model(opened(LEAST | more)).shape.unknown

    assert reason in unknown
    assert bool(reason) == bool(unknown)


REFUSED = {
    "no name": ({"name": None}, ["name"]),
    "no source": ({"source": None}, ["source"]),
    "an unknown source": ({"source": "floppy"}, ["source"]),
    "no path": ({"local_path": None}, ["local_path"]),
    "no card": ({"gpu_selector": {"gpu_ids": ["w"], "gpus_per_replica": 0}},
                ["gpu_selector.gpu_ids[0]", "gpu_selector.gpus_per_replica"]),
    "no strategy": ({"placement_strategy": "pack"}, ["placement_strategy"]),
    "no backend": ({"backend": "vlm"}, ["backend"]),
    "no fraction": ({"backend_parameters": ["--a 1", "--gpu-memory-utilization 2"]}, ["backend_parameters[1]"]),
    "parameters that are no list": ({"backend_parameters": "--a"}, ["backend_parameters"]),
    "quotes that never close": ({"backend_parameters": ["--tensor-parallel-size='2"]}, ["backend_parameters[0]"]),
    "no number": ({"replicas": "two"}, ["replicas"]),
}  # fmt: skip


@pytest.mark.parametrize(("data", "where"), REFUSED.values(), ids=REFUSED)
def test_refused(data, where):
    fields = opened(LEAST | data)
    collect_gpustack_model(fields)

    assert places(fields) == where

"""Manifests in full size, as people publish them, and twins of them in which much is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bayplan
from bayplan.manifests.reader import read_file
from bayplan.manifests.workloads.dialects import read_workloads

FIXTURES = Path(__file__).parents[3] / "fixtures" / "workloads"

# By file: namespace/name, members wanted and needed, cards of all members, and words of the warnings.
ENTRIES = {
    "vllm-stack": (
        [("llm/engine", 2, 1, 8), ("llm/router", 2, 1, 0)],
        [
            "RuntimeClass",
            "which nodes reach these volumes",
            "ServiceAccount, PersistentVolumeClaim, PodDisruptionBudget, HorizontalPodAutoscaler",
        ],
    ),
    "leader-worker-set": ([("llm/llama-405b-0", 2, 2, 16), ("llm/llama-405b-1", 2, 2, 16)], []),
    "ray": ([("ray/chat", 3, 3, 8), ("ray/tune", 4, 4, 7), ("ray/shared", 5, 5, 32)], []),
    "training": (
        [
            ("train/finetune", 4, 3, 32),
            ("train/allreduce", 3, 3, 16),
            ("train/pretrain", 9, 9, 64),
            ("train/ps", 5, 3, 8),
            ("train/nightly", 2, 1, 2),
            ("train/queued", 0, 1, 0),
            ("train/ring", 3, 2, 3),
        ],
        ["suspended", "which nodes reach these volumes"],
    ),
    "kserve": ([("kserve/llama3", 2, 1, 4), ("kserve/own", 1, 1, 1), ("kserve/embed", 1, 1, 1)], ["transformer"]),
}


def wanted(workload):
    cards = sum(count * (shape.gpus.count if shape.gpus else 0) for _, count, shape in workload.shapes)
    return f"{workload.id.namespace}/{workload.name}", workload.desired, workload.minimum, cards


@pytest.mark.parametrize(("name", "entries", "words"), [(name, *both) for name, both in ENTRIES.items()], ids=ENTRIES)
def test_published_manifests(name, entries, words):
    found = read_workloads(read_file(FIXTURES / f"{name}.yaml"))
    warnings = [each for read in found for each in read.warnings if "no worker counts this resource" not in each]

    assert [wanted(read.workload) for read in found] == entries
    assert len(warnings) == len(words), warnings
    assert all(word in warning for word, warning in zip(words, warnings, strict=True))


def test_every_file_has_its_twin():
    assert {path.stem for path in (FIXTURES / "hostile").glob("*.yaml")} == set(ENTRIES)


@pytest.mark.parametrize("name", ENTRIES)
def test_hostile_twins_are_refused_with_all_their_problems(name):
    documents = read_file(FIXTURES / "hostile" / f"{name}.yaml")
    found = bayplan.validate(documents)

    assert not found["valid"]
    assert all(each["place"] and each["message"] for each in found["errors"])
    lines = [re.match(rf".*{name}\.yaml:(\d+)", each["place"]) for each in found["errors"]]
    assert None not in lines
    assert len({int(line[1]) for line in lines}) >= len(documents) - 1, "nearly every document has something wrong"

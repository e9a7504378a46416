"""Whatever an object holds, it is examined: problems are answers. What is converted reads as the same workloads."""

import copy
import json
from pathlib import Path

from hypothesis import given, strategies as st

from bayplan.library.conversion import convert
from bayplan.library.examination import examine
from bayplan.manifests.reader import Document, read_file
from bayplan.manifests.workloads.dialects import read_workloads
from bayplan.manifests.workloads.pod_marks import read_marks
from properties.spoiling import paths_of, refusal_of, replace, values_with

FIXTURES = Path(__file__).parents[1] / "fixtures"
DIALECTS = ("neuronetes-guide", "training-jobs", "kept-kinds")
WORKLOADS = ("vllm-stack", "leader-worker-set", "ray", "training", "kserve")
OBJECTS = [
    *(each.data for name in DIALECTS for each in read_file(FIXTURES / "dialects" / f"{name}.yaml")),
    *(each.data for name in WORKLOADS for each in read_file(FIXTURES / "workloads" / f"{name}.yaml")),
    *json.loads((FIXTURES / "inventory" / "kubernetes-nodes.json").read_text())["items"][:2],
    *json.loads((FIXTURES / "inventory" / "resource-topology.json").read_text())["items"][:2],
]
PATHS = [(number, path) for number, data in enumerate(OBJECTS) for path in paths_of(data) if path]
values = values_with("", "-1", "1e30", "9" * 80, "0.5", "8Gi", "7d", "140GB", "\x00", 10**30, -1, 2**63)
spoilt_objects = st.lists(st.tuples(st.sampled_from(PATHS), values), min_size=1, max_size=3)


def spoilt(changes):
    number = changes[0][0][0]
    found = copy.deepcopy(OBJECTS[number])
    for (other, path), value in changes:
        if other == number:
            replace(found, path, value)
    return found


@given(spoilt_objects)
def test_anything_anywhere_is_an_answer(changes):
    document = spoilt(changes)
    found = examine(document)

    for each in (*found.errors, *found.ignored, *found.notes):
        assert len(str(each)) < 2000
    assert examine(document) == found


@given(spoilt_objects)
def test_what_can_be_read_can_be_converted(changes):
    document = spoilt(changes)
    if (error := refusal_of(lambda: convert([document]))) is not None:
        assert error.place
        return
    if examine(document).valid and refusal_of(lambda: read_workloads([Document(document, "d")])) is None:
        natives = [each for each in convert([document]).items if each["kind"] == "Workload"]

        assert all(not examine(each).errors for each in natives)


SELECTOR = {"labelSelector": {"matchLabels": {"app": "x"}}, "topologyKey": "kubernetes.io/hostname"}
SPECS = [
    {},
    {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [SELECTOR]}}},
    {"topologySpreadConstraints": [{**SELECTOR, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}]},
    {"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]},
]
NAMES = ["app", "team", "scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io", "pod-group-name"]
NAMES += ["scheduling.k8s.io/group-name", "gpu-fraction", "gpu-memory", "gpu-fraction-num-devices", "note"]
NAMES += ["kueue.x-k8s.io/podset-preferred-topology", "kueue.x-k8s.io/podset-required-topology"]
texts = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["x", "", "0.5", "2", "8Gi", "-1"]))
others = st.dictionaries(
    st.sampled_from(["generation", "resourceVersion", "finalizers", "generateName"]), st.sampled_from(["1", "a"])
)


@given(st.sampled_from(SPECS), texts, texts, others)
def test_of_the_metadata_of_a_pod_its_marks_alone_count(spec, labels, annotations, more):
    def examined(metadata):
        whole = {"containers": [{"name": "c"}], **spec}
        return examine({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", **metadata}, "spec": whole})

    metadata = {"labels": labels, "annotations": annotations, **more}

    assert examined(read_marks(metadata, spec)) == examined(metadata)

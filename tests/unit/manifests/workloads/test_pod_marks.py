"""The metadata of a Pod that its reader looks at: whatever else differs, the Pod is read in the same way."""

from collections.abc import Mapping

import pytest

from bayplan.library.examination import examine
from bayplan.manifests.workloads.pod_marks import read_marks

SELECTING = {"topologySpreadConstraints": [{"topologyKey": "z", "maxSkew": 1, "labelSelector": {}}]}
MARKS = {
    "a name": ({"name": "a", "namespace": "n", "uid": "u"}, {}, {}),
    "what the store writes": ({"name": "a", "resourceVersion": "5", "managedFields": [{}], "generation": 2}, {}, {}),
    "labels": ({"labels": {"app": "x"}}, {}, {"labels": {}}),
    "labels that are selected": ({"labels": {"app": "x"}}, SELECTING, {"labels": {"app": "x"}}),
    "the label of a group": (
        {"labels": {"app": "x", "scheduling.x-k8s.io/pod-group": "g"}}, {},
        {"labels": {"scheduling.x-k8s.io/pod-group": "g"}},
    ),
    "annotations": ({"annotations": {"note": "x", "gpu-memory": "5"}}, {}, {"annotations": {"gpu-memory": "5"}}),
    "an unknown field": ({"name": "a", "colour": "red"}, {}, {"colour": "red"}),
    "a spec that is no object": ({"labels": {"app": "x"}}, "no spec", {"labels": {}}),
}  # fmt: skip


@pytest.mark.parametrize(("metadata", "spec", "marks"), MARKS.values(), ids=MARKS)
def test_marks(metadata, spec, marks):
    assert read_marks(metadata, spec) == marks


class Watched(Mapping):
    """A mapping that notes which of its keys were asked for."""

    def __init__(self, data):
        self._data = data
        self.asked = set()

    def __getitem__(self, key):
        self.asked.add(key)
        return self._data[key]

    def __iter__(self):
        return iter(self._data)

    def __len__(self):
        return len(self._data)


@pytest.mark.parametrize("part", ["labels", "annotations"])
def test_the_reader_asks_for_no_other_label_or_annotation(part):
    texts = Watched({"note": "x"})
    containers = [{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]
    metadata = {"name": "a", part: texts}
    examine({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers}})

    everything = dict.fromkeys(texts.asked - {"note"}, "1")  # selectors look at all labels that are there
    assert everything
    assert read_marks({part: everything}, {})[part] == everything

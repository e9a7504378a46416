"""Models, Servers and ServerConfigs in the forms of Seldon's samples: they are placed, or refused with the reason."""

from pathlib import Path

import pytest

import bayplan
from bayplan.framework.errors import InputError
from bayplan.manifests.reader import read_file

SAMPLES = Path(__file__).parents[3] / "fixtures" / "seldon"


def documents(name):
    return [each.data for each in read_file(SAMPLES / name)]


@pytest.fixture(scope="module")
def plans():
    answer = bayplan.plan(documents("models.yaml"), bayplan.read_cluster(documents("fleet.yaml")))
    return {each["workload"]: each for each in answer["items"]}


VERDICTS = {
    "bare": ("fits", set()),
    "by-type": ("fits", set()),
    "by-version-of-a-library": ("infeasible", {"capability-missing", "memory-short", "replicas-short"}),
    "pinned": ("infeasible", {"pinned-elsewhere"}),
    "many": ("infeasible", {"replicas-short"}),
    "partly": ("partly", {"replicas-short"}),
    "logged": ("fits", set()),
    "explained": ("fits", set()),
    "large": ("infeasible", {"memory-short", "replicas-short"}),
    "from-a-volume": ("fits", set()),
    "second-artifact": ("infeasible", {"capability-missing", "replicas-short"}),
    "no-such-capability": ("infeasible", {"capability-missing", "replicas-short"}),
}


@pytest.mark.parametrize(("name", "expected"), VERDICTS.items(), ids=VERDICTS)
def test_samples_are_placed_or_refused(plans, name, expected):
    plan = plans[name]

    assert (plan["verdict"], {each["code"] for each in plan["rejections"]}) == expected
    assert all(each["message"] for each in plan["rejections"])


WRONG = {
    "an underscore in the name": ({"metadata": {"name": "id1_node"}}, "metadata.name"),
    "a dot in the name": ({"metadata": {"name": "iris.v2"}}, "metadata.name"),
    "a slip in the name of the field": ({"spec": {"storagUri": "gs://models/iris"}}, "spec.storageUri"),
    "memory that is no size": ({"spec": {"storageUri": "gs://m", "memory": "lots"}}, "spec.memory"),
}


@pytest.mark.parametrize(("change", "place"), WRONG.values(), ids=WRONG)
def test_wrong_samples_name_the_field(change, place):
    model = {"apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Model", "metadata": {"name": "iris"}}
    model["spec"] = {"storageUri": "gs://models/iris"}

    with pytest.raises(InputError) as caught:
        bayplan.plan(model | change, {"servers": []})
    assert place in caught.value.place

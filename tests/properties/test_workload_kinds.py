"""Whatever a manifest of Kubernetes holds, it is read or refused with a place: never anything else."""

import copy
from contextlib import suppress
from pathlib import Path

from hypothesis import given, strategies as st

import bayplan
from bayplan.framework.errors import InputError
from bayplan.manifests.reader import Document, read_file
from bayplan.manifests.workloads.dialects import read_workloads
from properties.spoiling import paths_of, refusal_of, replace, values_with

FIXTURES = Path(__file__).parents[1] / "fixtures" / "workloads"
NAMES = ("vllm-stack", "leader-worker-set", "ray", "training", "kserve")
OBJECTS = [document.data for name in NAMES for document in read_file(FIXTURES / f"{name}.yaml")]

values = values_with("", "-1", "1e30", "9" * 80, "0.5", "8Gi", "--tp 8", "$(X)", "'", 10**30, -1, 2**63)
PATHS = [(number, path) for number, data in enumerate(OBJECTS) for path in paths_of(data) if path]


@given(st.lists(st.tuples(st.sampled_from(PATHS), values), min_size=1, max_size=3))
def test_manifests_with_anything_anywhere_are_read_or_refused(spoilt):
    documents = copy.deepcopy(OBJECTS)
    for (number, path), value in spoilt:
        replace(documents[number], path, value)
    given_ = [Document(data, f"d{number}") for number, data in enumerate(documents)]

    error = refusal_of(lambda: read_workloads(given_))

    assert error is None or (error.place and not bayplan.validate(given_)["valid"])


@given(st.sampled_from(PATHS), values)
def test_an_inventory_with_the_same_objects_is_read_or_refused(where, value):
    documents = copy.deepcopy(OBJECTS)
    replace(documents[where[0]], where[1], value)

    with suppress(InputError):
        bayplan.read_cluster(documents)

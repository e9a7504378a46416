"""A field that a kind does not have is told, wherever it stands."""

import copy
from pathlib import Path

import pytest

from bayplan.api.patches.managed_fields import IGNORED
from bayplan.control.resources.registry import REGISTRY
from bayplan.manifests.reader import read_file
from served_api import run

FIXTURES = Path(__file__).parents[2] / "fixtures"
FILES = ("dialects/neuronetes-guide", "dialects/training-jobs", "dialects/kept-kinds", "workloads/vllm-stack")
FREE = {"labels", "annotations", "matchLabels", "nodeSelector", "limits", "requests", "allocatable", "capacity",
        "parameters", "config", "minResources", "selector", "targetReplicas", "data", "nodes"}  # fmt: skip
"""Maps whose names the writer chooses, or whose whole content is told as ignored."""
UNKNOWN = "noSuchField"


def mappings(value, steps=()):
    """The paths of all mappings in which a name has a meaning."""
    if isinstance(value, dict):
        yield steps
        for key, inner in value.items():
            if key not in FREE:
                yield from mappings(inner, (*steps, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from mappings(inner, (*steps, number))


def with_unknown(document, steps):
    found = copy.deepcopy(document)
    holder = found
    for step in steps:
        holder = holder[step]
    holder[UNKNOWN] = 1
    return found


DOCUMENTS = [
    each.data
    for name in FILES
    for each in read_file(FIXTURES / f"{name}.yaml")
    if REGISTRY.of_document(each.data["apiVersion"], each.data["kind"])
]
STRICT = "EndpointPickerConfig"
"""A configuration is read strictly, here as everywhere: what its author meant must not be ignored."""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda each: f"{each['kind']}-{each.get('metadata')}")
def test_an_unknown_field_is_told_wherever_it_stands(document):
    kind = REGISTRY.of_document(document["apiVersion"], document["kind"])
    base = "/apis/" if "/" in document["apiVersion"] else "/api/"
    whole = {**document, "metadata": {**document.get("metadata", {}), "namespace": "n"}}
    whole["metadata"].setdefault("name", "x")

    async def told(api):
        silent = []
        await api.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "n"}})
        for steps in mappings(whole):
            url = f"{base}{document['apiVersion']}/namespaces/n/{kind.plural}?dryRun=All"
            answer = await api.ask("POST", url, with_unknown(whole, steps))
            note = answer.json["metadata"].get("annotations", {}).get(IGNORED, "")
            if document["kind"] == STRICT and answer.status == 422 and UNKNOWN in answer.json["message"]:
                continue
            if answer.status != 201 or UNKNOWN not in note or not any(UNKNOWN in each for each in answer.warnings):
                silent.append((steps, answer.status, answer.warnings))
        return silent

    assert run(told) == []

"""The schema knows the fields that the reader knows."""

import json

import pytest

from bayplan.routing.config.document import PICKER_KIND
from bayplan.routing.config.json_schema import routing_schema
from unit.framework.config.schema_judge import accepts
from unit.routing.config.documents import NATIVE, REGISTRY, RICH, STAGES, picker, read

DOCUMENTS = {"rich": (RICH, PICKER_KIND), "stages": (STAGES, PICKER_KIND), "native": (NATIVE, "SchedulerConfig")}


@pytest.mark.parametrize(("document", "kind"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_valid_documents_fit(document, kind):
    schema = routing_schema(REGISTRY, kind)

    assert json.loads(json.dumps(schema)) == schema
    assert accepts(schema, document, schema)


def test_native_documents_fit():
    schema = routing_schema(REGISTRY)

    assert accepts(schema, read(RICH).document(), schema)


BAD = {
    "an unknown field": picker("queue-scorer", warp=1),
    "an unknown type": picker("queue-score"),
    "a weight below 0": picker("queue-scorer", profiles=[{"name": "a", "plugins": [{"pluginRef": "x", "weight": -1}]}]),
    "an unknown gate": picker("queue-scorer", featureGates=["warp"]),
    "another version": picker("queue-scorer", apiVersion="llm-d.ai/v2"),
}


@pytest.mark.parametrize("document", BAD.values(), ids=BAD)
def test_bad_documents_do_not_fit(document):
    schema = routing_schema(REGISTRY, PICKER_KIND)

    assert not accepts(schema, document, schema)

"""The schemas and the readers of the dialects know the same fields.

A field that only a reader knows would be called unknown, and refused where kubectl validates, although it counts. One
that only a schema knows would be shown by `kubectl explain` and then be called unknown by the reader.
"""

import pytest

from bayplan.control.resources.kinds import KINDS
from bayplan.control.resources.schema import schema_of, shape_named
from bayplan.control.resources.shape import Form
from bayplan.library.examination import examine
from bayplan.manifests.fields import Fields
from bayplan.routing.config.document import picker_config

DEEPEST = 9  # types inside types; the deepest dialect has six
DIALECTS = [each for each in KINDS if not each.is_kubernetes]
READER_ALONE = {
    "PodGroup": {"queue", "priorityClassName", "networkTopology", "topologyConstraint", "markUnschedulable",
                 "schedulingBackoff", "preemptibility", "minTaskMember", "subGroupPolicy", "subGroups", "minSubGroup"},
}  # fmt: skip
"""What groups of other API groups have, which are read from files and not served."""


def with_every_part(shape, above=()):
    """An object with every object and list of objects inside it, and no plain values."""
    if shape.form is Form.LIST:
        item = with_every_part(shape.item, above)
        return None if item is None else [item]
    if shape.form is Form.OPEN:
        return {} if shape.scalar == "object" else None
    if shape.form is not Form.OBJECT or shape.type in above or len(above) > DEEPEST:
        return None
    parts = ((name, with_every_part(each.shape, (*above, shape.type))) for name, each in shape.type.fields.items())
    return {name: part for name, part in parts if part is not None}


def at(shape, steps):
    for step in steps:
        shape = shape and (shape.item if isinstance(step, int) else shape.child(step))
    return shape


@pytest.fixture
def asked(monkeypatch):
    """The names that readers ask for, by path."""
    found = {}
    finish = Fields.finish

    def noted(self):
        found.setdefault(self.steps, set()).update(self._asked)
        finish(self)

    monkeypatch.setattr(Fields, "finish", noted)
    return found


@pytest.mark.parametrize("kind", DIALECTS, ids=lambda each: each.full_name)
def test_readers_and_schemas_know_the_same_fields(kind, asked):
    shape = schema_of(kind)
    document = with_every_part(shape) | {"apiVersion": str(kind.storage), "kind": kind.kind}
    document["metadata"]["name"] = "x"

    examine(document)

    alone = READER_ALONE.get(kind.kind, set())
    for steps, names in asked.items():
        there = at(shape, steps)
        if steps[:1] != ("metadata",) and there is not None and there.form is Form.OBJECT:
            assert names - alone == set(there.type.fields) - alone, steps


def test_the_reader_of_a_picker_s_configuration_knows_the_fields_of_its_schema():
    (kind,) = [each for each in KINDS if each.kind == "EndpointPickerConfig"]

    assert {field.key for field in picker_config().fields} == set(schema_of(kind).type.fields)


def test_what_a_server_may_change_of_its_pods_is_what_pods_have():
    changed = shape_named("ServerPodSpec", "seldon").type.fields

    assert changed.keys() == shape_named("PodSpec").type.fields.keys()
    assert not any(each.required for each in changed.values())

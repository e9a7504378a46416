"""The schema files: every kind has one, and it says how values are merged."""

import pytest

from bayplan.control.resources.kinds import KINDS
from bayplan.control.resources.notation import read_field
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.resources.schema import schema_of
from bayplan.control.resources.shape import Form, Merging, Patching

APIS = [(each, api) for each in KINDS for api in each.apis]


def at(name, *steps):
    shape = schema_of(REGISTRY.resolve(name))
    for step in steps:
        shape = shape.item if step == 0 else shape.child(step)
    return shape


def all_fields(shape, seen):
    if shape.item is not None:
        yield from all_fields(shape.item, seen)
    if shape.type is not None and shape.type.name not in seen:
        seen.add(shape.type.name)
        for each in shape.type.fields.values():
            yield shape.type, each
            yield from all_fields(each.shape, seen)


@pytest.mark.parametrize(("kind", "api"), APIS, ids=[f"{api}-{each.kind}" for each, api in APIS])
def test_every_kind_has_a_readable_schema(kind, api):
    shape = schema_of(kind, api)
    found = list(all_fields(shape, set()))

    assert {"apiVersion", "kind", "metadata"} <= set(shape.type.fields)
    assert shape.type.description
    assert all(each.name.isidentifier() or "$" in each.name for _, each in found)


@pytest.mark.parametrize("kind", [each for each in KINDS if each.group not in {"", "apps", "batch"}])
def test_keys_of_list_maps_are_fields_of_their_items(kind):
    for _, each in all_fields(schema_of(kind), set()):
        if each.shape.merging is Merging.MAP:
            assert set(each.shape.keys) <= set(each.shape.item.type.fields)


def test_containers_are_merged_by_name():
    containers = at("pods", "spec", "containers")

    assert (containers.merging, containers.keys) == (Merging.MAP, ("name",))
    assert containers.patching == Patching(merge=True, key="name")


def test_ports_have_two_keys_and_one_merge_key():
    ports = at("pods", "spec", "containers", 0, "ports")

    assert ports.keys == ("containerPort", "protocol")
    assert ports.patching.key == "containerPort"


def test_tolerations_are_replaced_and_finalizers_are_a_set():
    assert at("pods", "spec", "tolerations").merging is Merging.ATOMIC
    assert not at("pods", "spec", "tolerations").patching.merge
    assert at("pods", "metadata", "finalizers").merging is Merging.SET
    assert at("pods", "metadata", "finalizers").patching == Patching(merge=True)


def test_selectors_are_atomic_and_labels_are_not():
    assert at("deploy", "spec", "selector").merging is Merging.ATOMIC
    assert at("pods", "metadata", "labels").merging is Merging.GRANULAR
    assert at("services", "spec", "selector").merging is Merging.ATOMIC


def test_volumes_retain_keys():
    assert at("pods", "spec", "volumes").patching == Patching(merge=True, key="name", retain=True)
    assert at("deploy", "spec", "strategy").patching.retain


def test_open_values_have_any_field():
    parameters = at("schedulerconfigs", "plugins", 0, "parameters")

    assert parameters.form is Form.OPEN
    assert parameters.child("anything") is parameters
    assert at("pods", "spec").child("nothing") is None


def test_a_map_has_a_shape_for_every_key():
    assert at("pods", "metadata", "labels").child("a.b/c").scalar == "string"


def test_the_notation():
    field = read_field("ports!", "[int32] set merge() = [1] — Some ports.", pytest.fail)

    assert (field.name, field.required, field.default, field.description) == ("ports", True, [1], "Some ports.")
    assert field.shape.item.scalar == "int32"
    assert (field.shape.merging, field.shape.patching) == (Merging.SET, Patching(merge=True))


def test_a_misspelt_rule_is_an_error():
    with pytest.raises(ValueError, match="no rule"):
        read_field("a", "[int32] sett", pytest.fail)

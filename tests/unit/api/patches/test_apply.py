"""Server-side apply: ownership, conflicts in kubectl's wording, force, removal, shared fields and lists."""

import copy
import json

import pytest

from bayplan.api.patches.apply import apply
from bayplan.api.patches.field_rules import UNTYPED
from bayplan.api.patches.managed_fields import FieldManager, record_create, record_update
from bayplan.api.status import Refusal
from kube_rules import CONFIG_MAP, DEPLOYMENT, POD

NOON, LATER = "2026-01-01T12:00:00Z", "2026-01-01T13:00:00Z"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def applied(live, config, by="m", rules=DEPLOYMENT, force=False, time=NOON, subresource=""):
    return apply(live, config, FieldManager(by, "v1", time, subresource), rules, force=force)


def deployment(**spec):
    return {"apiVersion": "v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}


def containers(*names, **fields):
    return {"template": {"spec": {"containers": [{"name": name} | fields for name in names]}}}


def config_map(metadata=None, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"} | (metadata or {}), "data": data}


def owned(document):
    return {
        f"{each['manager']} {each['operation']}": each["fieldsV1"]
        for each in document["metadata"].get("managedFields", [])
    }


def bare(document):
    document = copy.deepcopy(document)
    document["metadata"].pop("managedFields", None)
    return document


def names(document):
    return [each["name"] for each in document["spec"]["template"]["spec"]["containers"]]


def conflict(*arguments, **options):
    with pytest.raises(Refusal) as refusal:
        applied(*arguments, **options)
    assert refusal.value.code == 409
    return refusal.value


def test_what_does_not_exist_is_created():
    document = applied(None, deployment(replicas=2))

    assert bare(document) == deployment(replicas=2)
    assert document["metadata"]["managedFields"] == [
        {
            "manager": "m",
            "operation": "Apply",
            "apiVersion": "v1",
            "time": NOON,
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": {"f:replicas": {}}},
        }
    ]


def test_items_of_lists_and_keys_of_maps_are_owned_themselves():
    config = config_map({"labels": {"a": "1"}, "finalizers": ["f"]}, k="v")

    assert owned(applied(None, config, rules=CONFIG_MAP))["m Apply"] == {
        "f:data": {"f:k": {}},
        "f:metadata": {"f:labels": {"f:a": {}}, "f:finalizers": {'v:"f"': {}}},
    }


def test_applying_again_changes_nothing_not_even_the_time():
    document = applied(None, deployment(replicas=2, **containers("a", image="1")))

    assert applied(document, deployment(replicas=2, **containers("a", image="1")), time=LATER) == document


def test_a_conflict_names_the_owner_and_the_field():
    document = applied(None, deployment(replicas=2), by="one")

    refusal = conflict(document, deployment(replicas=3), by="two")

    assert refusal.document() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'Apply failed with 1 conflict: conflict with "one": .spec.replicas',
        "reason": "Conflict",
        "code": 409,
        "details": {
            "causes": [
                {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".spec.replicas"},
            ]
        },
    }


def test_a_conflict_with_an_update_names_the_version():
    document = deployment(replicas=2)
    record_create(document, FieldManager("kubectl-create", "apps/v1", NOON), DEPLOYMENT)

    refusal = conflict(document, deployment(replicas=3))

    expected = 'Apply failed with 1 conflict: conflict with "kubectl-create" using apps/v1: .spec.replicas'
    assert refusal.message == expected


def test_a_conflict_with_a_subresource_names_it():
    document = applied(None, deployment(paused=True))
    scaled = copy.deepcopy(document)
    scaled["spec"]["replicas"] = 5
    record_update(document, scaled, FieldManager("hpa", "apps/v1", NOON, "scale"), DEPLOYMENT)

    refusal = conflict(scaled, deployment(paused=True, replicas=3))

    assert 'conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas' in refusal.message


def test_several_conflicts_are_listed_by_owner():
    document = applied(None, deployment(replicas=1, paused=True), by="b")
    document = applied(document, deployment(minReadySeconds=1, **containers("c", image="1")), by="a")

    refusal = conflict(
        document, deployment(replicas=2, paused=False, minReadySeconds=2, **containers("c", image="2")), by="z"
    )

    assert refusal.message.splitlines() == [
        'Apply failed with 4 conflicts: conflicts with "a":',
        "- .spec.minReadySeconds",
        '- .spec.template.spec.containers[name="c"].image',
        'conflicts with "b":',
        "- .spec.paused",
        "- .spec.replicas",
    ]
    assert len(refusal.causes) == 4


def test_force_takes_the_fields():
    document = applied(None, deployment(replicas=2, paused=True), by="one")

    document = applied(document, deployment(replicas=3), by="two", force=True)

    assert document["spec"] == {"replicas": 3, "paused": True}
    assert owned(document) == {
        "one Apply": {"f:spec": {"f:paused": {}}},
        "two Apply": {"f:spec": {"f:replicas": {}}},
    }


def test_an_equal_value_is_shared():
    document = applied(None, deployment(replicas=2), by="one")
    document = applied(document, deployment(replicas=2), by="two")

    assert list(owned(document)) == ["one Apply", "two Apply"]

    document = applied(document, deployment(paused=True), by="two")
    assert document["spec"] == {"replicas": 2, "paused": True}

    document = applied(document, deployment(), by="one")
    assert document["spec"] == {"paused": True}


def test_what_is_no_longer_applied_is_removed():
    document = applied(None, deployment(replicas=2, **containers("a", "b")))
    document = applied(document, deployment(**containers("b")))

    assert bare(document) == deployment(**containers("b"))
    assert "f:replicas" not in owned(document)["m Apply"]["f:spec"]


def test_a_field_that_an_update_set_stays():
    document = applied(None, deployment(**containers("a")))
    changed = copy.deepcopy(document)
    changed["spec"]["template"]["spec"]["containers"][0]["image"] = "1"
    record_update(document, changed, FieldManager("edit", "v1", LATER), DEPLOYMENT)

    assert applied(changed, deployment(**containers("a")))["spec"] == containers("a", image="1")


def test_an_item_goes_with_all_its_fields():
    document = applied(None, deployment(**containers("a", "b")))
    changed = copy.deepcopy(document)
    changed["spec"]["template"]["spec"]["containers"][0]["image"] = "1"
    record_update(document, changed, FieldManager("edit", "v1", LATER), DEPLOYMENT)

    document = applied(changed, deployment(**containers("b")))

    assert document["spec"] == containers("b")
    assert list(owned(document)) == ["m Apply"]


def test_the_last_item_takes_the_list_along():
    document = applied(None, config_map({"finalizers": ["f"]}), rules=CONFIG_MAP)

    assert bare(applied(document, config_map(), rules=CONFIG_MAP)) == config_map()


def test_a_list_that_another_manager_owns_stays_as_an_empty_list():
    document = deployment(**containers())
    record_create(document, FieldManager("edit", "v1", NOON), DEPLOYMENT)
    document = applied(document, deployment(**containers("a")))

    document = applied(document, deployment(replicas=1))

    assert document["spec"] == containers() | {"replicas": 1}


def test_items_keep_the_order_of_the_configuration_and_others_their_place():
    document = applied(None, deployment(**containers("a", "b", "c")), by="one")

    document = applied(document, deployment(**containers("x", "c", "a")), by="two")

    assert names(document) == ["b", "x", "c", "a"]


def test_lists_of_scalars_without_keys_have_one_owner():
    document = applied(None, deployment(**containers("a", args=["1"])), by="one")

    refusal = conflict(document, deployment(**containers("a", args=["1", "2"])), by="two")

    assert refusal.causes[0].field == '.spec.template.spec.containers[name="a"].args'


def test_without_a_schema_maps_are_merged_and_lists_are_not():
    document = applied(None, deployment(a={"x": 1}, list=[1]), rules=UNTYPED, by="one")
    document = applied(document, deployment(a={"y": 2}), rules=UNTYPED, by="two")

    assert document["spec"] == {"a": {"x": 1, "y": 2}, "list": [1]}
    assert conflict(document, deployment(list=[2]), rules=UNTYPED, by="two").causes[0].field == ".spec.list"


def test_a_status_is_applied_through_its_subresource_alone():
    document = applied(None, deployment(replicas=1) | {"status": {"replicas": 1}})
    assert "f:status" not in owned(document)["m Apply"]

    status = {"conditions": [{"type": "Available", "status": "True"}]}
    document = applied(document, deployment() | {"status": status}, by="controller", subresource="status")

    (entry,) = (each for each in document["metadata"]["managedFields"] if each.get("subresource"))
    item = {".": {}, "f:type": {}, "f:status": {}}
    assert entry["fieldsV1"] == {"f:status": {"f:conditions": {'k:{"type":"Available"}': item}}}


def test_an_object_without_owners_gets_one_for_what_it_held():
    live = config_map(a="1") | {"metadata": {"name": "c", "uid": "u"}}

    document = applied(live, config_map(b="2"), rules=CONFIG_MAP)

    assert owned(document) == {
        "m Apply": {"f:data": {"f:b": {}}},
        "before-first-apply Update": {"f:data": {".": {}, "f:a": {}}},
    }
    refusal = conflict(live, config_map(a="2"), rules=CONFIG_MAP)
    assert refusal.message.endswith('conflict with "before-first-apply" using v1: .data.a')


def test_null_takes_a_field_away():
    document = applied(None, deployment(replicas=2, paused=True))

    assert applied(document, deployment(replicas=None, paused=True))["spec"] == {"paused": True}
    assert conflict(document, deployment(replicas=None), by="two").causes[0].field == ".spec.replicas"


def test_owners_are_no_part_of_a_configuration():
    with pytest.raises(Refusal) as refusal:
        applied(None, config_map({"managedFields": []}), rules=CONFIG_MAP)

    assert (refusal.value.code, refusal.value.message) == (400, "metadata.managedFields must be nil")


WRONG = {
    "no key": ([{"image": "1"}], 'omits all key fields ["name"]'),
    "no map": (["x"], "may not have non-map elements"),
    "null": ([None], "may not have a null element"),
    "twice": ([{"name": "a"}, {"name": "a"}], 'duplicate entries for key [name="a"]'),
}


@pytest.mark.parametrize(("items", "text"), WRONG.values(), ids=WRONG)
def test_items_of_a_configuration_need_keys_of_their_own(items, text):
    config = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": items}}

    with pytest.raises(Refusal) as refusal:
        applied(None, config, rules=POD)

    assert refusal.value.code == 400
    assert ".spec.containers" in refusal.value.message
    assert text in refusal.value.message


def client_side(replicas, live_replicas):
    """An object as `kubectl apply` without --server-side leaves it, changed since by another manager or not."""
    last = {"apiVersion": "v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"replicas": replicas}}
    document = deployment(replicas=live_replicas)
    document["metadata"]["annotations"] = {LAST_APPLIED: json.dumps(last)}
    record_create(document, FieldManager("kubectl-client-side-apply", "v1", NOON), DEPLOYMENT)
    return document


def test_kubectl_takes_over_what_it_applied_on_the_client():
    document = applied(client_side(2, 2), deployment(replicas=3), by="kubectl")

    assert document["spec"] == {"replicas": 3}
    kept = json.loads(document["metadata"]["annotations"][LAST_APPLIED])
    assert kept == deployment(replicas=3)


def test_kubectl_does_not_take_over_what_was_changed_since():
    conflict(client_side(2, 5), deployment(replicas=3), by="kubectl")
    conflict(client_side(2, 2), deployment(replicas=3), by="another")
    document = client_side(2, 2)
    document["metadata"]["annotations"][LAST_APPLIED] = "{"
    conflict(document, deployment(replicas=3), by="kubectl")


def test_an_annotation_that_grew_too_large_goes():
    config = deployment(replicas=2)
    config["metadata"]["annotations"] = {"x": "y" * 150_000}

    document = applied(client_side(2, 2), config, by="kubectl")

    assert document["metadata"]["annotations"].keys() == {"x"}


def test_arguments_stay_as_they_are():
    live, config = applied(None, deployment(replicas=2)), deployment(**containers("a"))
    before = copy.deepcopy((live, config))

    document = applied(live, config)
    document["metadata"]["name"] = document["spec"]["template"]["spec"]["containers"][0]["name"] = "changed"

    assert (live, config) == before


@pytest.mark.parametrize("metadata", [[], "x", 5, True])
def test_metadata_that_is_no_object_is_refused(metadata):
    for live in (None, config_map(a="1")):
        with pytest.raises(Refusal) as refused:
            applied(live, {**config_map(a="2"), "metadata": metadata}, rules=CONFIG_MAP)

        assert refused.value.code == 400


def test_metadata_of_null_counts_as_absent():
    live = config_map({"labels": {"a": "b"}}, a="1")
    found = applied(live, {**config_map(a="2"), "metadata": None}, rules=CONFIG_MAP, force=True)

    assert found["metadata"]["labels"] == {"a": "b"}
    assert found["data"] == {"a": "2"}

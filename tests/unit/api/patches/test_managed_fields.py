"""Owners of fields after objects are created and updated; the sets are those of structured-merge-diff."""

import copy

import pytest

from bayplan.api.patches.field_rules import UNTYPED
from bayplan.api.patches.managed_fields import FieldManager, record_create, record_update
from kube_rules import CONFIG_MAP, POD

NOON, LATER = "2026-01-01T12:00:00Z", "2026-01-01T13:00:00Z"


def manager(name="kubectl", time=NOON, subresource="", version="v1"):
    return FieldManager(name, version, time, subresource)


def created(document, rules=POD, by=None):
    document = copy.deepcopy(document)
    record_create(document, by or manager(), rules)
    return document


def updated(live, rules=POD, by=None, **fields):
    new = copy.deepcopy(live) | copy.deepcopy(fields)
    record_update(live, new, by or manager("other", LATER), rules)
    return new


def owned(document):
    return {
        " ".join((each["manager"], each["operation"], each.get("subresource", ""))).strip(): each["fieldsV1"]
        for each in document["metadata"].get("managedFields", [])
    }


POD_DOCUMENT = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a", "namespace": "b", "labels": {"app": "x"}, "finalizers": ["f"]},
    "spec": {
        "nodeSelector": {"gpu": "a100"},
        "containers": [{"name": "c", "args": ["1"], "ports": [{"containerPort": 80}], "resources": {}}],
    },
}


def test_an_entry_of_a_created_object():
    (entry,) = created(POD_DOCUMENT)["metadata"]["managedFields"]

    assert entry == {
        "manager": "kubectl",
        "operation": "Update",
        "apiVersion": "v1",
        "time": NOON,
        "fieldsType": "FieldsV1",
        "fieldsV1": {
            "f:metadata": {"f:labels": {".": {}, "f:app": {}}, "f:finalizers": {".": {}, 'v:"f"': {}}},
            "f:spec": {
                ".": {},
                "f:nodeSelector": {},
                "f:containers": {
                    ".": {},
                    'k:{"name":"c"}': {
                        ".": {},
                        "f:name": {},
                        "f:args": {},
                        "f:resources": {},
                        "f:ports": {
                            ".": {},
                            'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:containerPort": {}},
                        },
                    },
                },
            },
        },
    }


def test_without_a_schema_lists_are_single_values():
    fields = owned(created(POD_DOCUMENT, UNTYPED))["kubectl Update"]

    assert fields["f:spec"] == {".": {}, "f:nodeSelector": {".": {}, "f:gpu": {}}, "f:containers": {}}


def test_a_status_has_an_owner_of_its_own():
    document = created(POD_DOCUMENT | {"status": {"phase": "Pending"}})
    by_status = updated(document, by=manager("kubelet", LATER, "status"), status={"phase": "Running", "podIP": "1"})

    assert "f:status" not in owned(document)["kubectl Update"]
    assert owned(by_status)["kubelet Update status"] == {"f:status": {"f:phase": {}, "f:podIP": {}}}
    assert by_status["metadata"]["managedFields"][-1]["subresource"] == "status"


def test_a_kind_without_a_status_of_its_own_owns_it_with_the_rest():
    document = {"metadata": {"name": "a"}, "status": {"x": 1}}
    record_create(document, FieldManager("m", "v1", NOON, status_apart=False), UNTYPED)

    assert owned(document)["m Update"] == {"f:status": {".": {}, "f:x": {}}}


def test_who_changes_a_field_owns_it_alone():
    document = updated(created({"data": {"a": "1", "b": "2"}}, CONFIG_MAP), CONFIG_MAP, data={"a": "1", "b": "3"})

    assert owned(document) == {
        "kubectl Update": {"f:data": {".": {}, "f:a": {}}},
        "other Update": {"f:data": {"f:b": {}}},
    }


def test_a_removed_field_has_no_owner():
    live = created({"data": {"a": "1", "b": "2"}}, CONFIG_MAP)
    document = updated(live, CONFIG_MAP, data={"a": "1"})

    assert owned(document) == {"kubectl Update": {"f:data": {".": {}, "f:a": {}}}}
    assert document["metadata"]["managedFields"][0]["time"] == NOON


def test_an_owner_of_nothing_goes():
    document = updated(created({"data": {"a": "1"}}, CONFIG_MAP), CONFIG_MAP, data={"a": "2"})
    del (new := copy.deepcopy(document))["data"]
    new["immutable"] = True
    record_update(document, new, manager("third", LATER), CONFIG_MAP)

    assert list(owned(new)) == ["third Update"]


def test_an_update_that_changes_nothing_keeps_entries_and_times():
    live = created(POD_DOCUMENT)

    assert updated(live) == live


def test_the_time_of_an_entry_is_that_of_the_last_change():
    live = created({"data": {"a": "1"}}, CONFIG_MAP)

    document = updated(live, CONFIG_MAP, by=manager(time=LATER), data={"a": "2"})

    assert [each["time"] for each in document["metadata"]["managedFields"]] == [LATER]


def test_true_is_not_one():
    document = updated(created({"data": {"a": 1}}, UNTYPED), UNTYPED, data={"a": True})

    assert owned(document)["other Update"] == {"f:data": {"f:a": {}}}


TYPES = {
    "a map becomes a scalar": ({"a": {"b": 1}}, {"a": 2}, {"f:a": {}}),
    "a scalar becomes a map": ({"a": 2}, {"a": {"b": 1}}, {"f:a": {".": {}, "f:b": {}}}),
    "a map becomes empty": ({"a": {"b": 1}}, {"a": {}}, None),
    "an empty map gets a key": ({"a": {}}, {"a": {"b": 1}}, {"f:a": {"f:b": {}}}),
    "null becomes a map": ({"a": None}, {"a": {"b": 1}}, {"f:a": {"f:b": {}}}),
    "null becomes a scalar": ({"a": None}, {"a": 1}, {"f:a": {}}),
    "null becomes an empty map": ({"a": None}, {"a": {}}, {"f:a": {}}),
    "a list becomes a map": ({"a": [1]}, {"a": {"b": 1}}, {"f:a": {".": {}, "f:b": {}}}),
    "an empty list becomes a map": ({"a": []}, {"a": {"b": 1}}, {"f:a": {".": {}, "f:b": {}}}),
}


@pytest.mark.parametrize(("old", "new", "fields"), TYPES.values(), ids=TYPES)
def test_values_of_another_type(old, new, fields):
    document = updated(created({"data": old}, UNTYPED), UNTYPED, data=new)

    assert owned(document).get("other Update") == (None if fields is None else {"f:data": fields})


def test_items_with_the_same_key_have_one_owner():
    repeated = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
    live = created({"spec": {"containers": [{"name": "c", "env": repeated}]}})
    single = updated(live, spec={"containers": [{"name": "c", "env": repeated[:1]}]})

    item = owned(live)["kubectl Update"]["f:spec"]["f:containers"]['k:{"name":"c"}']["f:env"]
    assert item == {".": {}, 'k:{"name":"A"}': {}}
    item = owned(single)["other Update"]["f:spec"]["f:containers"]['k:{"name":"c"}']["f:env"]
    assert item == {'k:{"name":"A"}': {".": {}, "f:name": {}, "f:value": {}}}


@pytest.mark.parametrize("items", [["x"], [{"image": "1"}], [None], [["a"]]])
def test_items_without_a_key_make_the_list_a_single_value(items):
    document = created({"spec": {"containers": items}, "metadata": {"finalizers": [{}]}})

    assert owned(document)["kubectl Update"] == {
        "f:metadata": {"f:finalizers": {}},
        "f:spec": {".": {}, "f:containers": {}},
    }


def entry(**changed):
    fields = {
        "manager": "m",
        "operation": "Update",
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:x": {}},
    }
    return fields | changed


def test_owners_that_a_client_sends_replace_the_stored_ones():
    live = created({"data": {"a": "1"}}, CONFIG_MAP)
    given = [entry(operation="Apply", fieldsV1={"f:data": {"f:a": {}}})]

    document = updated(live, CONFIG_MAP, metadata={"managedFields": given})

    assert owned(document) == {"m Apply": {"f:data": {"f:a": {}}}}


WRONG = {
    "operation": [entry(operation="Delete")],
    "fields": [entry(fieldsV1={"x": {}})],
    "fields type": [entry(fieldsType="FieldsV2")],
    "no version": [entry(apiVersion="")],
    "manager": [entry(manager=1)],
    "no map": ["x"],
    "no list": {},
}


@pytest.mark.parametrize("given", WRONG.values(), ids=WRONG)
def test_wrong_owners_of_a_client_are_ignored(given):
    live = created({"data": {"a": "1"}}, CONFIG_MAP)

    assert owned(updated(live, CONFIG_MAP, metadata={"managedFields": given})) == owned(live)


def test_owners_are_not_set_through_a_subresource():
    live = created({"data": {"a": "1"}}, CONFIG_MAP)

    document = updated(live, CONFIG_MAP, by=manager(subresource="status"), metadata={"managedFields": [entry()]})

    assert owned(document) == owned(live)


@pytest.mark.parametrize("given", [[], [{}]])
def test_owners_can_be_forgotten(given):
    live = created({"data": {"a": "1"}}, CONFIG_MAP)
    document = updated(live, CONFIG_MAP, metadata={"managedFields": given})

    assert document["metadata"] == {}
    assert updated(document, CONFIG_MAP, data={"a": "2"})["metadata"] == {}


def test_the_oldest_of_many_entries_become_one():
    document = created({"data": {"a": "0"}, "metadata": {}}, CONFIG_MAP)
    for number in range(14):
        time = f"2026-01-02T00:00:{number:02}Z"
        data = document["data"] | {f"k{number}": "v"}
        document = updated(document, CONFIG_MAP, by=manager(f"m{number}", time), data=data)

    entries = document["metadata"]["managedFields"]
    assert [each["manager"] for each in entries] == ["ancient-changes", *(f"m{number}" for number in range(5, 14))]
    assert entries[0]["fieldsV1"]["f:data"].keys() == {".", "f:a", "f:k0", "f:k1", "f:k2", "f:k3", "f:k4"}
    assert entries[0]["time"] == "2026-01-02T00:00:04Z"

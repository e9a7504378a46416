import pytest

from bayplan.control.store import Collection, Key, Stored
from bayplan.control.store_errors import InvalidObjectError, StaleError
from bayplan.stores.metadata import changed_object, check_expectation, metadata_of, new_object, same_document

POOLS = Collection("g", "pools")
MAPS = Collection("", "configmaps", has_status=False)
KEY = Key(POOLS, "d", "x")
OWNER = {"kind": "K", "name": "n", "uid": "u"}

WRONG = {
    "no metadata": ({}, "metadata: an object needs metadata"),
    "metadata as text": ({"metadata": "x"}, "metadata: an object needs metadata"),
    "finalizers as text": ({"metadata": {"finalizers": "x"}}, "metadata.finalizers: is no list of texts"),
    "a number as finalizer": ({"metadata": {"finalizers": [1]}}, "metadata.finalizers: is no list of texts"),
    "an owner without a uid": ({"metadata": {"ownerReferences": [{**OWNER, "uid": ""}]}}, "metadata.ownerReferences"),
    "an owner as text": ({"metadata": {"ownerReferences": ["x"]}}, "metadata.ownerReferences"),
}


@pytest.mark.parametrize(("document", "message"), WRONG.values(), ids=WRONG)
def test_parts_in_the_wrong_shape(document, message):
    with pytest.raises(InvalidObjectError, match=message):
        metadata_of(document)


def test_a_new_object_says_nothing_that_the_store_alone_decides():
    given = {"metadata": {"name": "a", "uid": "mine", "generation": 9, "deletionTimestamp": "x", "labels": {"a": "b"}}}
    made = new_object(POOLS, given, name="x", uid="u", now="now")

    assert made["metadata"] == {
        "name": "x", "uid": "u", "creationTimestamp": "now", "generation": 1, "labels": {"a": "b"}
    }  # fmt: skip
    assert given["metadata"]["uid"] == "mine"
    assert "generation" not in new_object(MAPS, given, name="x", uid="u", now="now")["metadata"]


def test_a_new_object_has_no_revision_yet():
    with pytest.raises(InvalidObjectError, match="resourceVersion"):
        new_object(POOLS, {"metadata": {"resourceVersion": "5"}}, name="x", uid="u", now="now")


EXPECTED = {
    "nothing": ({}, None),
    "the revision": ({"resourceVersion": "7"}, None),
    "any revision": ({"resourceVersion": "0"}, None),
    "an older revision": ({"resourceVersion": "6"}, StaleError),
    "its names": ({"name": "x", "namespace": "d"}, None),
    "another name": ({"name": "y"}, InvalidObjectError),
    "another namespace": ({"namespace": "e"}, InvalidObjectError),
}


@pytest.mark.parametrize(("metadata", "error"), EXPECTED.values(), ids=EXPECTED)
def test_what_an_update_expects(metadata, error):
    def check():
        check_expectation(KEY, {"metadata": metadata}, Stored(b"", 7))

    if error is None:
        check()
    else:
        with pytest.raises(error):
            check()


def stored(**more):
    metadata = {"name": "x", "namespace": "d", "uid": "u", "creationTimestamp": "then", "generation": 1}
    return {
        "kind": "Pool",
        "metadata": metadata | {"resourceVersion": "7"},
        "spec": {"a": 1},
        "status": {"s": 1},
    } | more


def test_an_update_keeps_the_status_and_counts_changes_of_the_rest():
    new = {"kind": "Pool", "metadata": {"labels": {"a": "b"}, "generation": 99}, "spec": {"a": 2}, "status": {"s": 9}}
    changed = changed_object(KEY, stored(), new, "")

    assert changed["status"] == {"s": 1}
    assert changed["metadata"] == stored()["metadata"] | {"labels": {"a": "b"}, "generation": 2}
    labelled = new | {"spec": {"a": 1}}
    assert changed_object(KEY, stored(), labelled, "")["metadata"]["generation"] == 1


def test_a_status_changes_nothing_else():
    new = {"metadata": {"labels": {"a": "b"}}, "spec": {"a": 2}, "status": {"s": 9}}

    assert changed_object(KEY, stored(), new, "status") == stored(status={"s": 9})


def test_no_finalizer_is_added_to_an_object_that_is_being_deleted():
    old = stored()
    old["metadata"] |= {"deletionTimestamp": "now", "finalizers": ["a"]}
    with pytest.raises(InvalidObjectError, match="no new finalizers can be added while the object is being deleted: b"):
        changed_object(KEY, old, {"metadata": {"finalizers": ["a", "b"]}}, "")


def test_another_life_of_the_name_is_told():
    with pytest.raises(StaleError, match="the uid is u, but v was expected"):
        changed_object(KEY, stored(), {"metadata": {"uid": "v"}}, "")


SAME = {
    "order of keys": ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
    "a number and its float": ({"a": 1}, {"a": 1.0}, False),
    "a number and true": ({"a": 1}, {"a": True}, False),
    "another value": ({"a": 1}, {"a": 2}, False),
    "nothing and null": ({}, {"a": None}, False),
}


@pytest.mark.parametrize(("left", "right", "same"), SAME.values(), ids=SAME)
def test_equal_as_json(left, right, same):
    assert same_document(left, right) is same

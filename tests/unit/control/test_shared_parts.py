"""Equal parts of objects are kept once."""

from copy import deepcopy

from bayplan.control import shared_parts
from bayplan.control.shared_parts import SharedParts

POD = {
    "metadata": {"name": "a", "labels": {"app": "x"}, "managedFields": [{"manager": "m"}]},
    "spec": {"containers": [{"name": "c"}], "nodeName": "n"},
    "status": {"phase": "Pending", "conditions": []},
}


def pod(name, **spec):
    made = deepcopy(POD)
    made["metadata"]["name"] = name
    made["spec"] |= spec
    return made


def test_pods_of_one_template_share_what_is_equal():
    parts = SharedParts()
    first, second = parts.kept(pod("a")), parts.kept(pod("b", nodeName="m"))

    assert first["spec"]["containers"] is second["spec"]["containers"]
    assert first["metadata"]["labels"] is second["metadata"]["labels"]
    assert (first["metadata"]["name"], second["metadata"]["name"]) == ("a", "b")
    assert (first["spec"]["nodeName"], second["spec"]["nodeName"]) == ("n", "m")


def test_an_object_stays_as_it_was_but_for_the_owners_of_its_fields():
    expected = deepcopy(POD)
    del expected["metadata"]["managedFields"]

    assert SharedParts().kept(deepcopy(POD)) == expected
    assert SharedParts().kept({"metadata": {"name": "a"}, "spec": "odd"}) == {"metadata": {"name": "a"}, "spec": "odd"}


def test_what_looks_equal_to_python_and_is_not():
    parts = SharedParts()
    kept = [parts.kept(pod("a", x=[value])) for value in (1, True, 1.0)]

    assert [type(each["spec"]["x"][0]) for each in kept] == [int, bool, float]


def test_bounds(monkeypatch):
    monkeypatch.setattr(shared_parts, "_MOST", 2)
    parts = SharedParts()
    kept = [parts.kept({"metadata": {}, "spec": {"x": [value]}})["spec"]["x"] for value in (1, 2, 3, 1)]
    long = [parts.kept({"metadata": {}, "spec": {"x": ["y" * 20_000]}})["spec"]["x"] for _ in range(2)]

    assert kept[0] is not kept[3]
    assert long[0] is not long[1]

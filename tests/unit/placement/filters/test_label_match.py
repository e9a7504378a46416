"""Labels must meet every requirement of the selector."""

import pytest

from bayplan.cluster.selector import Operator, Requirement, Selector
from bayplan.placement.filters.label_match import LabelMatch
from unit.placement.builders import ask, judge, keeps_its_promises, verdicts, worker


def wants(key, operator, *values):
    return Selector((Requirement(key, operator, values),))


ZONE_A, ZONE_B, SSD = (
    Requirement(key, Operator.IN, (value,)) for key, value in (("zone", "a"), ("zone", "b"), ("disk", "ssd"))
)
EITHER = Selector((), ((ZONE_A, SSD), (ZONE_B,)))

CASES = {
    "no selector": ({}, {"zone": "a"}, None),
    "label is equal": ({"zone": "a"}, {"zone": "a", "disk": "ssd"}, None),
    "label differs": ({"zone": "a"}, {"zone": "b"}, "label-mismatch"),
    "label is missing": ({"zone": "a"}, {}, "label-mismatch"),
    "one of two differs": ({"disk": "ssd", "zone": "a"}, {"disk": "ssd", "zone": "b"}, "label-mismatch"),
    "one of several": (wants("zone", Operator.IN, "a", "b"), {"zone": "b"}, None),
    "not in": (wants("zone", Operator.NOT_IN, "a"), {"zone": "a"}, "label-mismatch"),
    "not in, and missing": (wants("zone", Operator.NOT_IN, "a"), {}, None),
    "greater": (wants("cards", Operator.GT, "4"), {"cards": "8"}, None),
    "not greater": (wants("cards", Operator.GT, "4"), {"cards": "4"}, "label-mismatch"),
    "the second alternative": (EITHER, {"zone": "b"}, None),
    "an alternative of two": (EITHER, {"zone": "a", "disk": "ssd"}, None),
    "half of an alternative": (EITHER, {"zone": "a"}, "label-mismatch"),
}


@pytest.mark.parametrize(("selector", "labels", "code"), CASES.values(), ids=CASES)
def test_labels(selector, labels, code):
    verdict = judge(LabelMatch(), ask(selector=selector), worker(labels=labels))

    assert (verdict.code, verdict.curable) == (code, False)


def test_the_reason_names_every_requirement_that_fails_and_what_the_label_says():
    asked = ask(selector={"disk": "ssd", "rack": "{k1}", "zone": "a"})
    said = verdicts(
        LabelMatch(), asked, worker("x", labels={"zone": "b", "disk": "ssd"}), worker("y", labels={"zone": "a"})
    )

    assert said["x"].message == "wants rack={k1}, has no such label; wants zone=a, has b"
    assert said["y"].message == "wants disk=ssd, has no such label; wants rack={k1}, has no such label"


def test_the_reason_names_all_alternatives():
    verdict = judge(LabelMatch(), ask(selector=EITHER), worker(labels={"zone": "c"}))

    assert verdict.message == "wants zone=a and disk=ssd, or zone=b"


def test_contract():
    workers = [worker(labels=labels) for _, labels, _ in CASES.values()]
    keeps_its_promises(LabelMatch(), workers, [ask(selector=selector) for selector, _, _ in CASES.values()])
    assert LabelMatch.required

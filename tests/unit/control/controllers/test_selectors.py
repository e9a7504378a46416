import pytest

from bayplan.control.controllers.selectors import selects

CASES = {
    "nothing chooses nothing": ({}, {"a": "1"}, False),
    "a label": ({"matchLabels": {"a": "1"}}, {"a": "1", "b": "2"}, True),
    "another value": ({"matchLabels": {"a": "1"}}, {"a": "2"}, False),
    "an expression": ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["1", "2"]}]}, {"a": "2"}, True),
    "an absent label": ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, {"b": "1"}, True),
    "both must hold": (
        {"matchLabels": {"a": "1"}, "matchExpressions": [{"key": "b", "operator": "Exists"}]}, {"a": "1"}, False),
    "what cannot be read chooses nothing": ({"matchExpressions": [{"key": "a", "operator": "Odd"}]}, {"a": "1"}, False),
    "what is no object chooses nothing": ({"matchExpressions": ["odd"]}, {"a": "1"}, False),
}  # fmt: skip


@pytest.mark.parametrize(("selector", "labels", "chosen"), CASES.values(), ids=CASES)
def test_selectors(selector, labels, chosen):
    assert selects(selector, labels) is chosen
    assert selects(selector, labels) is chosen

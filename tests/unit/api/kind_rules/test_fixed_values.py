"""What is fixed in ConfigMaps, Secrets and PriorityClasses."""

import pytest

from bayplan.api.kind_rules.fixed_values import class_changes, secret_changes, setting_changes

FIXED = {"immutable": True, "data": {"a": "1"}}
CASES = {
    "free data": (setting_changes, {"data": {"a": "1"}}, {"data": {"a": "2"}}, []),
    "fixed data": (setting_changes, FIXED, {**FIXED, "data": {"a": "2"}}, ["data"]),
    "the mark": (setting_changes, FIXED, {"data": {"a": "1"}}, ["immutable"]),
    "a mark is set": (setting_changes, {"data": {}}, FIXED, []),
    "the type of a Secret": (secret_changes, {"type": "Opaque"}, {"type": "kubernetes.io/tls"}, ["type"]),
    "the default type": (secret_changes, {}, {"type": "Opaque"}, []),
    "the number of a class": (class_changes, {"value": 1}, {"value": 2}, ["value"]),
    "the policy of a class": (class_changes, {}, {"preemptionPolicy": "Never"}, ["preemptionPolicy"]),
    "the text of a class": (class_changes, {"value": 1}, {"value": 1, "description": "x"}, []),
}  # fmt: skip


@pytest.mark.parametrize(("rule", "live", "new", "fields"), CASES.values(), ids=CASES)
def test_what_is_fixed(rule, live, new, fields):
    assert [each.field for each in rule(live, new)] == fields


def test_no_value_of_a_secret_is_repeated():
    causes = list(secret_changes(FIXED | {"type": "a"}, {"immutable": True, "data": {"a": "hidden"}, "type": "b"}))

    assert len(causes) == 2
    assert not any("hidden" in each.message for each in causes)

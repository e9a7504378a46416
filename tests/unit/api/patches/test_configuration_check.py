"""Configurations whose lists cannot have owners are refused, however many items they have."""

import pytest

from bayplan.api.patches.configuration_check import check_configuration
from bayplan.api.patches.schema_rules import rules_of
from bayplan.api.status import Refusal
from bayplan.control.resources.registry import REGISTRY

RULES = rules_of(REGISTRY.resolve("pods"))


def refusal(containers):
    with pytest.raises(Refusal) as refused:
        check_configuration({"metadata": {"name": "a"}, "spec": {"containers": containers}}, RULES)
    return refused.value


def test_items_that_can_be_told_apart():
    check_configuration({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a"}, {"name": "b"}]}}, RULES)


def test_items_without_a_key():
    assert [each.field for each in refusal([{}, {"name": "a"}, {}]).causes] == [".spec.containers"] * 2


def test_not_every_problem_of_a_hostile_configuration_is_told():
    assert len(refusal([{}] * 4_000).causes) == 100


def test_more_items_than_can_be_worked_on():
    found = refusal([{"name": f"c{number}"} for number in range(4_001)])

    assert [each.message for each in found.causes] == ["Too many: 4001: must have at most 4000 items"]

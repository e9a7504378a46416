"""Kinds with a template of Pods."""

import pytest

from bayplan.api.kind_rules.templates import job_changes, selector_changes, set_changes, template_problems
from unit.api.objects import deployment


def changed(document, **spec):
    return {**document, "spec": {**document["spec"], **spec}}


SELECTORS = {
    "it chooses its Pods": ({"matchLabels": {"app": "d"}}, []),
    "by an expression": ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["d", "e"]}]}, []),
    "it chooses others": ({"matchLabels": {"app": "e"}}, ["spec.template.metadata.labels"]),
    "it is empty": ({}, ["spec.selector"]),
    "it is nonsense": ({"matchExpressions": [{"key": "app", "operator": "Near"}]}, ["spec.selector"]),
}


@pytest.mark.parametrize(("selector", "fields"), SELECTORS.values(), ids=SELECTORS)
def test_a_selector_chooses_the_pods_of_its_template(selector, fields):
    assert [each.field for each in template_problems(changed(deployment(), selector=selector))] == fields


OTHER = {"matchLabels": {"app": "e"}}
CHANGES = {
    "a Deployment's replicas": (selector_changes, {"replicas": 5}, []),
    "a Deployment's template": (selector_changes, {"template": {}}, []),
    "a Deployment's selector": (selector_changes, {"selector": OTHER}, ["spec.selector"]),
    "a StatefulSet's replicas": (set_changes, {"replicas": 5}, []),
    "a StatefulSet's service": (set_changes, {"serviceName": "x"}, ["spec"]),
    "a Job's parallelism": (job_changes, {"parallelism": 5}, []),
    "a Job's completions": (job_changes, {"completions": 5}, ["spec.completions"]),
    "a Job's template": (job_changes, {"template": {}}, ["spec.template"]),
}


@pytest.mark.parametrize(("rule", "spec", "fields"), CHANGES.values(), ids=CHANGES)
def test_what_is_fixed(rule, spec, fields):
    assert [each.field for each in rule(deployment(), changed(deployment(), **spec))] == fields


def test_the_template_of_a_suspended_job_is_free():
    waiting = changed(deployment(), suspend=True)

    assert not list(job_changes(waiting, changed(waiting, template={})))

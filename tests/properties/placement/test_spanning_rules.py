"""Replicas over several workers: verdicts and numbers are those of brute force."""

from hypothesis import event, given

import bayplan
from properties.placement.documents import FEWER
from properties.placement.domain_rules import expected, tiny_clusters
from properties.placement.spanning_rules import SpanningRules, spanning_specs, with_two_models


@FEWER
@given(with_two_models(tiny_clusters(most=4)), spanning_specs())
def test_verdicts_and_numbers(cluster, spec):
    plan = bayplan.plan({"metadata": {"name": "mine"}, "spec": spec}, cluster)

    event(plan["verdict"])
    verdict, placed, _ = expected(cluster, spec, SpanningRules)
    assert (plan["verdict"], plan["placed"], plan["proven"]) == (verdict, placed, True)


@FEWER
@given(with_two_models(tiny_clusters(most=4)), spanning_specs())
def test_placeable(cluster, spec):
    gang = bayplan.why({"metadata": {"name": "mine"}, "spec": spec}, cluster, changes=False)["gang"]

    assert gang["placeable"] == expected(cluster, spec, SpanningRules)[2]

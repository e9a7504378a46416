"""Services of Knative."""

from __future__ import annotations

import pytest

from bayplan.manifests.workloads.knative import collect_knative_service
from unit.manifests.opened import places
from unit.manifests.workloads.templates import collected, members, template

SCALES = {
    "absent": ({}, 1),
    "none": ({"autoscaling.knative.dev/min-scale": "0"}, 1),
    "three": ({"autoscaling.knative.dev/min-scale": "3"}, 3),
    "the older spelling": ({"autoscaling.knative.dev/minScale": "2"}, 2),
    "both": ({"autoscaling.knative.dev/minScale": "2", "autoscaling.knative.dev/min-scale": "4"}, 4),
}


@pytest.mark.parametrize(("annotations", "replicas"), SCALES.values(), ids=SCALES)
def test_pods(annotations, replicas):
    spec = {"template": template(4, annotations=annotations, containerConcurrency=8, timeoutSeconds=60)}
    (found,), fields = collected(collect_knative_service, spec)

    assert members(found) == [("", replicas, 4)]
    assert not fields.findings.warnings


WRONG = {
    "no template": ({}, ["spec.template"]),
    "a scale": (
        {"template": template(annotations={"autoscaling.knative.dev/min-scale": "x"})},
        ['spec.template.metadata.annotations["autoscaling.knative.dev/min-scale"]'],
    ),
}


@pytest.mark.parametrize(("spec", "where"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_has_its_place(spec, where):
    _, fields = collected(collect_knative_service, spec)

    assert places(fields) == where

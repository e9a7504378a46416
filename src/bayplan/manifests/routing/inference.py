"""InferencePool, InferenceObjective and InferenceModelRewrite of the gateway API's inference extension."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bayplan.cluster.quantities import parse_count
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import name, priority, remembered, text, word_of
from bayplan.manifests.workloads.checks import anything, check, expected, inside, needed, one

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.checks import Check, Table

MOST_PORTS = 8  # of the CRD
MOST_WEIGHT = 1_000_000  # of the CRD

port = remembered(partial(parse_count, minimum=1, maximum=65_535))
_weight = remembered(partial(parse_count, minimum=1, maximum=MOST_WEIGHT))
_failure_mode = word_of(("FailOpen", "FailClose"))

_POOL_REFERENCE: Table = {"name": needed(name), "group": one(text), "kind": one(text)}
_PICKER: Table = {
    "name": needed(name),
    "group": one(text),
    "kind": one(text),
    "failureMode": one(_failure_mode),
    "port": inside({"number": needed(port)}),
    "portNumber": one(port),
    "targetPortNumber": one(port),
}
_OF_INFERENCE_MODELS = ("modelName", "criticality", "targetModels")
_MODEL_MATCH: Table = {"type": one(word_of(("Exact",))), "value": needed(name)}


def required(look: Check) -> Check:
    """The same check for a field that must be there."""

    def checked(fields: Fields, key: str) -> None:
        if key not in fields:
            fields.add("is missing", key, next="give it")
        look(fields, key)

    return checked


def collect_inference_pool(fields: Fields) -> None:
    """A pool, in the form of `v1` or of `v1alpha2`; each may have the names of the other."""
    spec = _opened(fields)
    if "spec" in fields:
        _selector(spec)
        _ports(spec)
        _picker(spec)
        check(spec, {"appProtocol": one(text)})
        spec.finish()


def collect_inference_objective(fields: Fields) -> None:
    """The priority of requests to a pool; absent, it is 0."""
    spec = _opened(fields)
    if "spec" in fields:
        check(spec, {"poolRef": required(inside(_POOL_REFERENCE)), "priority": one(priority)})
        spec.leave(*_OF_INFERENCE_MODELS, reason="it belongs to an InferenceModel; the priority alone counts")
        spec.finish()


def collect_inference_model_rewrite(fields: Fields) -> None:
    """Names of models, and what they are rewritten to."""
    spec = _opened(fields)
    if "spec" in fields:
        check(spec, {"poolRef": required(inside(_POOL_REFERENCE))})
        if "rules" not in spec:
            spec.add("is missing", "rules", next="give at least one")
        for rule in spec.children("rules"):
            _rule(rule)
        spec.finish()


def _opened(fields: Fields) -> Fields:
    fields.ignore("apiVersion", "kind", "status")
    read_id(fields)
    if "spec" not in fields:
        fields.add("is missing", "spec", next="give one")
    spec = fields.child("spec")
    fields.finish()
    return spec


def _selector(spec: Fields) -> None:
    """Labels of the Pods: under `matchLabels`, or in the older form without that step."""
    if "selector" not in spec:
        spec.add("is missing", "selector", next="write selector: {matchLabels: {app: NAME}}")
    selector = spec.child("selector")
    if "matchLabels" in selector:
        selector.mapping("matchLabels", text)
        selector.finish()
    else:
        spec.mapping("selector", text)


def _ports(spec: Fields) -> None:
    """`targetPorts` of v1, or `targetPortNumber` of v1alpha2."""
    spec.read("targetPortNumber", port)
    rows = spec.children("targetPorts")
    numbers = [row.need("number", port, 0) for row in rows]
    for row in rows:
        row.finish()
    if "targetPortNumber" not in spec and not numbers and not spec.broken("targetPorts"):
        spec.add("is missing", "targetPorts", next="write targetPorts: [{number: 8000}]")
    if len(numbers) > MOST_PORTS:
        spec.add(f"{len(numbers)} ports are too many", "targetPorts", next=f"write at most {MOST_PORTS}")
    for place, number in enumerate(numbers):
        if number and number in numbers[:place]:
            spec.add(f"{number} is given twice", "targetPorts", place, "number", next="write each port once")


def _picker(spec: Fields) -> None:
    """`endpointPickerRef` of v1, or `extensionRef` of v1alpha2: the gateway needs it, and Bayplan picks by itself."""
    if "extensionRef" in spec:
        inside(_PICKER)(spec, "extensionRef")
        spec.ignore("endpointPickerRef")
    else:
        spec.ignore("extensionRef")
        expected_reference(spec, "endpointPickerRef")


def expected_reference(spec: Fields, key: str) -> None:
    """A reference whose absence is only told."""
    if key not in spec:
        spec.warn("is missing", key, next="give it: gateways other than Bayplan need it")
    inside(_PICKER)(spec, key)


def _rule(rule: Fields) -> None:
    for match in rule.children("matches"):
        check(match, {"model": required(inside(_MODEL_MATCH)), "headers": anything})
        match.leave("headers")
        match.finish()
    targets = rule.children("targets")
    if not targets and not rule.broken("targets"):
        rule.add("is missing", "targets", next="write targets: [{modelRewrite: NAME}]")
    weights = []
    for target in targets:
        check(target, {"modelRewrite": expected(name) if len(targets) == 1 else needed(name)})
        weights.append(target.read("weight", _weight))
        target.finish()
    given = sum(weight is not None for weight in weights)
    if 0 < given < len(weights) and not rule.broken("targets"):
        rule.add(f"{given} of {len(weights)} have a weight", "targets", next="give all of them a weight, or none")
    rule.finish()

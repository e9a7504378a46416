"""InferenceService of KServe: the Pods of its predictor, each placed by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import count
from bayplan.manifests.workloads.controlled_pods import ABOUT_THE_OBJECT, ControlledPods, Members, few_enough
from bayplan.manifests.workloads.parallel_flags import warn_of_flags
from bayplan.manifests.workloads.pod_template import read_template

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.priority_class import PriorityClasses

# Where the container that serves the model may stand: `model`, or the name of a framework in older documents.
_MODELS = tuple(
    "model huggingface lightgbm onnx paddle pmml pytorch sklearn tensorflow triton xgboost".split()  # noqa: SIM905
)
_OF_THE_PREDICTOR = (
    "annotations autoScaling batcher canaryTrafficPercent containerConcurrency deploymentStrategy labels logger"
    " maxReplicas scaleMetric scaleMetricType scaleTarget timeout"
)


def collect_inference_service(fields: Fields, classes: PriorityClasses) -> list[ControlledPods]:
    """The Pods of its predictor, which has the fields of a Pod beside the field `model`."""
    fields.ignore(*ABOUT_THE_OBJECT)
    spec = fields.child("spec")
    if "predictor" not in spec:
        spec.add("is missing", "predictor", next="give one")
    predictor = spec.child("predictor")
    members = (_predictor(predictor, fields, classes),) if "predictor" in spec else ()
    for part in ("transformer", "explainer"):
        if part in spec:
            spec.warn("is not planned; only the predictor is", part, next="write a Deployment with its resources")
    spec.ignore("explainer", "predictor", "transformer")
    spec.finish()
    found = ControlledPods(read_id(fields), members, unknown=_unknown(predictor))
    fields.finish()
    return [found]


def _predictor(predictor: Fields, fields: Fields, classes: PriorityClasses) -> Members:
    replicas = few_enough(predictor, max(1, predictor.read("minReplicas", count, 1)), "minReplicas")
    models = [predictor.child(key) for key in _MODELS if key in predictor]
    predictor.ignore("workerSpec", *_MODELS)
    predictor.leave(*_OF_THE_PREDICTOR.split())
    template = read_template(fields.child("metadata"), predictor, classes, models)
    warn_of_flags(template.flagged, template.cards, "each Pod requests")
    return Members("", replicas, template)


def _unknown(predictor: Fields) -> str:
    """Why the predictor cannot be planned: needs that its document does not state, or that no plan follows."""
    reasons = [
        f"predictor.{key} gives no resources, and those of its serving runtime are not known; write resources"
        for key in _MODELS
        if key in predictor and "resources" not in predictor.child(key)
    ]
    if "workerSpec" in predictor:
        reasons.append("predictor.workerSpec is not planned; write a LeaderWorkerSet")
    return "; ".join(reasons)

"""Objects that are checked and kept, and that no plan looks at yet; and kinds that are only kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.manifests.routing.inference import (
    collect_inference_model_rewrite,
    collect_inference_objective,
    collect_inference_pool,
)
from bayplan.manifests.serving.seldon_model import collect_seldon_model
from bayplan.manifests.serving.seldon_server import collect_seldon_server, collect_seldon_server_config
from bayplan.manifests.workloads.objects import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.manifests.fields import Fields

COLLECT_STORED: dict[Kind, Callable[[Fields], object]] = {
    Kind.SELDON_MODEL: collect_seldon_model,
    Kind.SELDON_SERVER: collect_seldon_server,
    Kind.SELDON_SERVER_CONFIG: collect_seldon_server_config,
    Kind.INFERENCE_POOL: collect_inference_pool,
    Kind.INFERENCE_OBJECTIVE: collect_inference_objective,
    Kind.INFERENCE_MODEL_REWRITE: collect_inference_model_rewrite,
}
"""The function that checks each kind, except EndpointPickerConfigs, whose plugins the library knows."""

_SELDON = "mlops.seldon.io"
_NOT_INSTALLED = "the components of Seldon are not installed here"
_QUOTAS = "quotas of namespaces are not kept"
UNSUPPORTED: dict[tuple[str, str], str] = {
    (_SELDON, "Pipeline"): "data does not flow between models here",
    (_SELDON, "Experiment"): "traffic is not split between models here",
    (_SELDON, "SeldonRuntime"): _NOT_INSTALLED,
    (_SELDON, "SeldonConfig"): _NOT_INSTALLED,
    ("scheduling.x-k8s.io", "ElasticQuota"): _QUOTAS,
    ("scheduling.sigs.k8s.io", "ElasticQuota"): _QUOTAS,
    ("inference.networking.x-k8s.io", "InferenceModel"): "replaced by InferenceObjective and InferenceModelRewrite",
    ("inference.networking.x-k8s.io", "InferencePoolImport"): "pools of other clusters are not reached",
}
"""Kinds of known API groups that nothing acts on, and why: by API group and kind."""

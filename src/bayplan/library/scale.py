"""`bayplan.scale`: how many replicas models and servers should have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cluster.cluster import Cluster
from bayplan.framework.errors import InputError
from bayplan.library.documents import documents_of
from bayplan.library.planner import inventory_of
from bayplan.library.serving.serving_planner import serving_planner
from bayplan.library.serving.serving_scale import serving_scale
from bayplan.manifests.fields import raise_all
from bayplan.manifests.requests import read_models
from bayplan.manifests.workloads.dialects import ignored_kinds
from bayplan.manifests.workloads.objects import Kind, objects_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.library.documents import Given
    from bayplan.manifests.workloads.objects import Object

_BESIDE = (Kind.SELDON_SERVER, Kind.SELDON_SERVER_CONFIG)
"""Objects that may stand beside models; servers are scaled as the cluster describes them."""


def scale(
    documents: Given | Iterable[Given] = (),
    signals: Any = None,
    *,
    cluster: Any = None,
    state: Any = None,
    now: object = None,
) -> dict[str, Any]:
    """A Scaling for each Model document, then for each server of the cluster; a ScalingList for several.

    `signals` is what is measured of the models, their thresholds, and whether servers are packed. `state` and `now`
    are for pools and training jobs, which are not scaled yet.
    """
    objects = list(objects_of(documents_of(documents, "documents")))
    _refuse_others(objects)
    models = [each.model for each in read_models(objects)]
    raise_all([error for each in objects for error in each.findings.errors])
    planner = serving_planner(Cluster() if cluster is None else inventory_of(cluster).cluster)
    (given,) = documents_of({} if signals is None else signals, "signals")
    answers = serving_scale(models, given, planner)
    if not answers:
        step = "give a Model, or a cluster with servers"
        raise InputError("there is nothing to scale", place="documents", next=step)
    return answers[0] if len(answers) == 1 else {"kind": "ScalingList", "items": answers, "state": None}


def _refuse_others(objects: Iterable[Object]) -> None:
    """Refuse what a later version will scale, and say so."""
    others = [each for each in objects if each.kind not in (None, Kind.SELDON_MODEL, *_BESIDE)]
    if others:
        place = others[0].findings.document.place(others[0].fields.steps)
        named = others[0].written or ignored_kinds(others)
        message = f"a {named[:64]} is not scaled yet: only Models of mlops.seldon.io and servers are"
        raise InputError(message, place=place, next="leave it out")

"""The endpoints of a Pod: where its engine is reached, and whether it may get requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from bayplan.library.status.documents import part
from bayplan.manifests.marks import BACKEND, ENDPOINT, MODEL, ROLE
from bayplan.routing.endpoints.endpoint import ROLE_LABEL, Endpoint
from bayplan.routing.exposition.engine import BUILT_IN, ENGINE_LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.control.store import Object

ACTIVE_PORTS: Final = ("llm-d.ai/active-ports", "inference.networking.k8s.io/active-ports")
"""Annotations that say which of the pool's ports a Pod really uses, `8000,8002`; the first that is there counts."""
_STAGES: Final = frozenset(
    {"prefill", "decode", "encode", "both", "prefill-decode", "encode-prefill", "encode-prefill-decode"}
)


def pool_endpoints(pod: Object, ports: Sequence[int]) -> list[Endpoint]:
    """One endpoint for each port of a pool: the Pod's name, with `-rank-N` where the pool has several ports.

    A worker of Bayplan gives the Pod's first port another number on its machine, and says so in an annotation.
    """
    address, active = _address(pod), _active_ports(pod)
    if not address:
        return []
    told = _told(pod)
    found = []
    for rank, port in enumerate(ports):
        if active is not None and port not in active:
            continue
        host, real = told if told is not None and rank == 0 else (address, port)
        name = pod["metadata"]["name"] if len(ports) == 1 else f"{pod['metadata']['name']}-rank-{rank}"
        found.append(_endpoint(pod, name, host, real))
    return found


def replica_endpoints(pod: Object) -> list[Endpoint]:
    """The endpoint of a Pod that a worker of Bayplan runs; none where it listens on no port."""
    told = _told(pod)
    if told is None or not _address(pod):
        return []
    return [_endpoint(pod, pod["metadata"]["name"], *told)]


def pod_run(pod: Object) -> str:
    """What tells the processes of a Pod from those before: another Pod of the same name, or a restarted container."""
    statuses = part(pod, "status").get("containerStatuses")
    listed = statuses if isinstance(statuses, list) else ()
    restarts = [each.get("restartCount") or 0 for each in listed if isinstance(each, dict)]
    return f"{pod['metadata'].get('uid', '')} restarted {sum(restarts)} times"


def _endpoint(pod: Object, name: str, host: str, port: int) -> Endpoint:
    metadata = pod["metadata"]
    return Endpoint(
        name,
        host,
        port,
        namespace=metadata.get("namespace") or "default",
        labels=_labels(metadata),
        ready=_is_ready(pod),
    )


def _address(pod: Object) -> str:
    """Its address; empty where it has none yet, or has ended."""
    status = part(pod, "status")
    return "" if status.get("phase") in ("Succeeded", "Failed") else str(status.get("podIP") or "")


def _is_ready(pod: Object) -> bool:
    conditions = part(pod, "status").get("conditions")
    ready = any(
        isinstance(each, dict) and each.get("type") == "Ready" and each.get("status") == "True"
        for each in (conditions if isinstance(conditions, list) else ())
    )
    return ready and "deletionTimestamp" not in pod["metadata"]


def _told(pod: Object) -> tuple[str, int] | None:
    """Host and port that a worker wrote down."""
    url = part(pod, "metadata", "annotations").get(ENDPOINT)
    if not isinstance(url, str):
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    return (host, port) if host and port else None


def _active_ports(pod: Object) -> frozenset[int] | None:
    """The ports that a Pod uses; None where it does not say, and where what it says cannot be read."""
    annotations = part(pod, "metadata", "annotations")
    written = next((annotations[key] for key in ACTIVE_PORTS if key in annotations), None)
    if not isinstance(written, str):
        return None
    words = [each.strip() for each in written.split(",") if each.strip()]
    is_readable = all(each.isascii() and each.isdigit() and len(each) <= 5 for each in words)
    return frozenset(map(int, words)) if is_readable else None


def _labels(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Its labels, and what Bayplan's own marks say about its engine, its model and its stage."""
    labels: dict[str, str] = dict(metadata.get("labels") or {})
    annotations: Mapping[str, Any] = metadata.get("annotations") or {}
    backend, role = annotations.get(BACKEND), labels.get(ROLE)
    if backend in BUILT_IN and not any(each in labels for each in ENGINE_LABELS):
        labels[ENGINE_LABELS[0]] = str(backend)
    if role in _STAGES:
        labels.setdefault(ROLE_LABEL, role)
    if annotations.get(MODEL):
        labels.setdefault(MODEL, str(annotations[MODEL]))
    return labels

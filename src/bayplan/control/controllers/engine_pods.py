"""The Pods of pools and workloads: one container called `engine`, from the backend that the object names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.controllers.pod_templates import new_pod, workload_label
from bayplan.control.controllers.wish import Wanted, digest_of
from bayplan.library.status.documents import part
from bayplan.manifests.marks import BACKEND, MODEL, REVISION, ROLE, WORKLOAD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.cache import Cache
    from bayplan.control.store import Object

CONTAINER = "engine"
USUAL_BACKEND = "vllm"
"""The engine of a workload that serves a model and names none."""
_OF_A_REPLICA = ("model", "backend", "gpus", "cpu", "ram", "resources", "distributed", "cpuOffload")
"""Fields that say what a replica is. Where it may be placed, and how many there are, does not make it another one."""


def engine_set(
    owner: Object,
    cache: Cache,
    *,
    count: int,
    fields: Mapping[str, Any],
    priority: int,
    role: str = "",
    model: str | None = None,
    labels: Mapping[str, str] | None = None,
    identity: Any = None,
) -> Wanted:
    """Equal replicas; `fields` are those of a Workload's spec, or of one of its roles.

    `identity` is what else makes a replica another one when it changes.
    """
    backend = part(fields, "backend")
    name = str(backend.get("name") or (USUAL_BACKEND if model else "custom"))
    container = {"name": CONTAINER, "image": str(backend.get("image") or name), **_command(backend)}
    spec = {"containers": [container], "restartPolicy": "Always", "priority": priority}
    revision = digest_of([{key: fields[key] for key in _OF_A_REPLICA if fields.get(key) is not None}, model, identity])
    own = {WORKLOAD: workload_label(owner), REVISION: revision, **({ROLE: role} if role else {})}
    annotations = {BACKEND: name, **({MODEL: model} if model else {})}
    prefix = f"{owner['metadata']['name']}-{role}-" if role else ""
    pod = new_pod(
        owner, {"spec": spec}, cache, labels={**(labels or {}), **own}, annotations=annotations, prefix=prefix
    )
    return Wanted(role, count, pod, revision)


def _command(backend: Mapping[str, Any]) -> dict[str, Any]:
    """Command, flags and environment, as texts; what is absent is left out."""
    found: dict[str, Any] = {}
    for key in ("command", "args"):
        if isinstance(given := backend.get(key), list) and given:
            found[key] = [_text(each) for each in given]
    if env := part(backend, "env"):
        found["env"] = [{"name": name, "value": _text(value)} for name, value in env.items()]
    return found


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

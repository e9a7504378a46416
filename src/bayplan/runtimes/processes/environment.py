"""The variables of a container: values, fields of its Pod, and references to other variables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.store import Object

_OBJECTS = frozenset({"configMapKeyRef", "secretKeyRef"})
_REFERENCE = re.compile(r"\$(\$|\(([A-Za-z_][\w.-]*)\))")
_ENTRY = re.compile(r"metadata\.(labels|annotations)\['([^']+)'\]")


def names_objects(pod: Object) -> bool:
    """Whether variables of a Pod come from ConfigMaps or Secrets."""
    spec = pod.get("spec") or {}
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        sources = [each.get("valueFrom") or {} for each in container.get("env") or ()]
        if container.get("envFrom") or any(_OBJECTS & source.keys() for source in sources):
            return True
    return False


def container_environment(pod: Object, container: Object, address: str, given: Mapping[str, str]) -> dict[str, str]:
    """What the Pod says; `given` are the values of ConfigMaps and Secrets, which the server looked up."""
    found = dict(given)
    for number, each in enumerate(container.get("env") or ()):
        place = f"env[{number}] of container {container.get('name', '')}"
        name, source = each.get("name", ""), each.get("valueFrom")
        if not source:
            found[name] = str(each.get("value") or "")
        elif "fieldRef" in source:
            found[name] = _field(pod, str(source["fieldRef"].get("fieldPath", "")), address, place)
        elif not _OBJECTS & source.keys():
            message = f"{name} comes from {', '.join(source)}, which a worker does not know"
            raise InputError(message, place=place, next="write a value, or name a field, a ConfigMap or a Secret")
    return found


def expanded(values: Mapping[str, str], env: Mapping[str, str]) -> dict[str, str]:
    """`$(NAME)` as the value of that variable; names that are not known, and `$$`, stay as in Kubernetes."""

    def value(found: re.Match[str]) -> str:
        if found[1] == "$":
            return "$"
        return env.get(found[2], found[0])

    return {name: _REFERENCE.sub(value, text) if "$" in text else text for name, text in values.items()}


def _field(pod: Object, path: str, address: str, place: str) -> str:
    """A field of the Pod; addresses are those of the worker, because its replicas share them."""
    if path in ("status.podIP", "status.hostIP", "status.podIPs", "status.hostIPs"):
        return address
    if found := _ENTRY.fullmatch(path):
        return str((pod["metadata"].get(found[1]) or {}).get(found[2], ""))
    value: Any = pod
    for step in path.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    if value is None and path not in ("spec.nodeName", "spec.serviceAccountName", "metadata.labels"):
        raise InputError(f"the Pod has no field {path[:80]!r}", place=place, next="name one such as metadata.name")
    return "" if value is None else str(value)

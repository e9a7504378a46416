"""Variables of containers that come from ConfigMaps and Secrets, looked up for the worker that runs the Pod."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from bayplan.control.collections import CONFIG_MAPS, PODS, SECRETS
from bayplan.control.nodes.reports import NotBoundHereError
from bayplan.control.store import Key
from bayplan.control.store_errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bayplan.control.store import Collection, Object, Store

_KEYS: Mapping[str, Collection] = {"configMapKeyRef": CONFIG_MAPS, "secretKeyRef": SECRETS}
_WHOLE: Mapping[str, Collection] = {"configMapRef": CONFIG_MAPS, "secretRef": SECRETS}


class PodEnvironment:
    """Looks variables up. A worker is told those of its own Pods, and so reads no other Secret."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def of(self, worker: str, namespace: str, pod: str) -> dict[str, Any]:
        """`{containers: {NAME: {VARIABLE: value}}, missing: {NAME: [text]}}`."""
        document = (await self._store.get(Key(PODS, namespace, pod))).document()
        spec = document.get("spec") or {}
        if spec.get("nodeName") != worker:
            raise NotBoundHereError
        found: dict[str, dict[str, str]] = {}
        missing: dict[str, list[str]] = {}
        for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
            name = str(container.get("name", ""))
            found[name], missing[name] = await self._of_container(namespace, container)
        return {"containers": found, "missing": {name: listed for name, listed in missing.items() if listed}}

    async def _of_container(self, namespace: str, container: Object) -> tuple[dict[str, str], list[str]]:
        values: dict[str, str] = {}
        missing: list[str] = []
        for collection, reference, prefix in _whole_references(container):
            data = await self._data(collection, namespace, reference)
            if data is None and not reference.get("optional"):
                missing.append(f"{collection} {reference.get('name')!r} is not there")
            values |= {f"{prefix}{key}": value for key, value in (data or {}).items()}
        for variable, collection, reference in _key_references(container):
            data = await self._data(collection, namespace, reference)
            key = str(reference.get("key", ""))
            if data is not None and key in data:
                values[variable] = data[key]
            elif not reference.get("optional"):
                missing.append(f"{collection} {reference.get('name')!r} has no key {key!r}")
        return values, missing

    async def _data(
        self, collection: Collection, namespace: str, reference: Mapping[str, Any]
    ) -> dict[str, str] | None:
        try:
            document = (await self._store.get(Key(collection, namespace, str(reference.get("name", ""))))).document()
        except NotFoundError:
            return None
        plain: dict[str, str] = document.get("data") or {}
        return {key: _decoded(value) for key, value in plain.items()} if collection is SECRETS else plain


def _whole_references(container: Object) -> Iterator[tuple[Collection, Mapping[str, Any], str]]:
    for each in container.get("envFrom") or ():
        for field, collection in _WHOLE.items():
            if each.get(field):
                yield collection, each[field], str(each.get("prefix") or "")


def _key_references(container: Object) -> Iterator[tuple[str, Collection, Mapping[str, Any]]]:
    for each in container.get("env") or ():
        source = each.get("valueFrom") or {}
        for field, collection in _KEYS.items():
            if source.get(field):
                yield str(each.get("name", "")), collection, source[field]


def _decoded(value: str) -> str:
    try:
        return base64.b64decode(value).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""  # a variable cannot hold what is no text

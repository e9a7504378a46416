"""The OpenAPI documents: one for each API in version 3 with an index, and one of everything in version 2."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.control.resources.openapi_paths import paths_of
from bayplan.control.resources.openapi_types import Definitions, with_kinds
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.resources.schema import schema_of, shape_named

if TYPE_CHECKING:
    from bayplan.control.resources.resource_type import Api, ResourceType

Document = dict[str, Any]

_SHARED = ("DeleteOptions", "Status", "ListMeta")
_INFO = {"title": "Bayplan", "version": "v1alpha1"}


def openapi_index() -> Document:
    """The answer of `/openapi/v3`: where the document of each API is. The hash lets clients keep their copies."""
    paths = {}
    for api in REGISTRY.apis():
        path = f"apis/{api}" if api.group else f"api/{api}"
        digest = sha256(openapi_text(api.group, api.version) or b"").hexdigest()
        paths[path] = {"serverRelativeURL": f"/openapi/v3/{path}?hash={digest.upper()}"}
    return {"paths": paths}


@cache
def openapi_text(group: str, version: str) -> bytes | None:
    """The document of one API as JSON, made once."""
    found = openapi_document(group, version)
    return None if found is None else orjson.dumps(found)


def openapi_document(group: str, version: str) -> Document | None:
    """The answer of `/openapi/v3/apis/GROUP/VERSION` and `/openapi/v3/api/v1`."""
    kinds = REGISTRY.served_under(group, version)
    if not kinds:
        return None
    api = next(api for api in REGISTRY.apis() if (api.group, api.version) == (group, version))
    definitions = Definitions()
    paths: Document = {}
    for each in kinds:
        names = _names(each, api, definitions)
        paths |= paths_of(each, api, {kind: {"$ref": definitions.home + name} for kind, name in names.items()})
    return {
        "openapi": "3.0.0",
        "info": _INFO,
        "paths": paths,
        "components": {"schemas": dict(sorted(definitions.found.items()))},
    }


@cache
def openapi_v2_text() -> bytes:
    """The answer of `/openapi/v2` as JSON: the definitions of every kind, without paths."""
    definitions = Definitions("#/definitions/", plain=True)
    for each in REGISTRY.kinds:
        for api in each.apis:
            _names(each, api, definitions)
    document = {"swagger": "2.0", "info": _INFO, "paths": {}, "definitions": dict(sorted(definitions.found.items()))}
    return orjson.dumps(document)


def _names(kind: ResourceType, api: Api, definitions: Definitions) -> dict[str, str]:
    """The definitions that the paths of a kind speak of: by kind, the name in the document."""
    shape = schema_of(kind, api)
    assert shape.type is not None  # noqa: S101 - every kind is an object
    names = {kind.kind: shape.type.name}
    definitions.reference(shape.type)
    _tell_kind(definitions, names[kind.kind], api, kind.kind)
    for part in kind.subresources:
        if part.kind:
            names[part.kind] = _shared(definitions, part.kind, part.api)
    for shared in _SHARED:
        names[shared] = _shared(definitions, shared, None)
    names[f"{kind.kind}List"] = _list(definitions, names[kind.kind], api, kind.kind)
    return names


def _shared(definitions: Definitions, name: str, api: Api | None) -> str:
    shape = shape_named(name)
    assert shape.type is not None  # noqa: S101 - all named shapes are objects
    definitions.reference(shape.type)
    if api is not None:
        _tell_kind(definitions, shape.type.name, api, name)
    return shape.type.name


def _list(definitions: Definitions, item: str, api: Api, kind: str) -> str:
    """The definition of a list of objects."""
    name = f"{item}List"
    home = definitions.home
    texts = {"type": "string"}
    definitions.found.setdefault(
        name,
        {
            "type": "object",
            "description": f"A list of {kind} objects.",
            "required": ["items"],
            "properties": {
                "apiVersion": texts,
                "kind": texts,
                "metadata": {"allOf": [{"$ref": f"{home}{shape_name('ListMeta')}"}]},
                "items": {"type": "array", "items": {"$ref": home + item}},
            },
        },
    )
    _tell_kind(definitions, name, api, f"{kind}List")
    return name


def shape_name(name: str) -> str:
    """The name in OpenAPI of a shared type."""
    kind = shape_named(name).type
    return kind.name if kind else name


def _tell_kind(definitions: Definitions, name: str, api: Api, kind: str) -> None:
    definition = definitions.found[name]
    told = definition.get("x-kubernetes-group-version-kind", [])
    known = [(each["group"], each["version"], each["kind"]) for each in told]
    definitions.found[name] = with_kinds(definition, dict.fromkeys([*known, (api.group, api.version, kind)]))

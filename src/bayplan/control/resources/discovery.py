"""What a client is told about the kinds: groups, versions and resources, in the plain and in the aggregated form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.resources.registry import REGISTRY

if TYPE_CHECKING:
    from bayplan.control.resources.registry import Registry
    from bayplan.control.resources.resource_type import Api, ResourceType, Subresource

Document = dict[str, Any]

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
"""The content type of the aggregated form; a client that accepts it is given nothing else."""


def core_versions(address: str = "") -> Document:
    """The answer of `/api`."""
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    }


def group_list(registry: Registry = REGISTRY) -> Document:
    """The answer of `/apis`."""
    groups = [_group(name, versions) for name, versions in _groups(registry).items() if name]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def group_document(name: str, registry: Registry = REGISTRY) -> Document | None:
    """The answer of `/apis/GROUP`."""
    versions = _groups(registry).get(name) if name else None
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, versions)} if versions else None


def resource_list(group: str, version: str, registry: Registry = REGISTRY) -> Document | None:
    """The answer of `/api/v1` and `/apis/GROUP/VERSION`."""
    kinds = registry.served_under(group, version)
    if not kinds:
        return None
    api = f"{group}/{version}" if group else version
    resources = [entry for each in kinds for entry in _resources(each, group)]
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api, "resources": resources}


def aggregated(core: bool, registry: Registry = REGISTRY) -> Document:
    """The answer of `/api` (core) or `/apis` to a client that accepts the aggregated form."""
    items = [
        {
            "metadata": {"name": name, "creationTimestamp": None} if name else {"creationTimestamp": None},
            "versions": [_version(api, registry) for api in versions],
        }
        for name, versions in _groups(registry).items()
        if (not name) is core
    ]
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}


def _groups(registry: Registry) -> dict[str, list[Api]]:
    """The versions of each group, the preferred one first: versions stand in the order of the kinds."""
    found: dict[str, list[Api]] = {}
    for api in registry.apis():
        found.setdefault(api.group, []).append(api)
    return found


def _group(name: str, versions: list[Api]) -> Document:
    listed = [{"groupVersion": str(api), "version": api.version} for api in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def _names(kind: ResourceType, group: str) -> Document:
    """Short names and categories. An alias of the storage group has none, so that each object is found once."""
    if group != kind.group:
        return {}
    short = {"shortNames": list(kind.short_names)} if kind.short_names else {}
    return {**short, "categories": list(kind.categories)} if kind.categories else short


def _resources(kind: ResourceType, group: str) -> list[Document]:
    found: Document = {
        "name": kind.plural,
        "singularName": kind.singular,
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": list(kind.verbs),
        **_names(kind, group),
    }
    return [found, *(_subresource(kind, each) for each in kind.subresources)]


def _subresource(kind: ResourceType, part: Subresource) -> Document:
    found: Document = {
        "name": f"{kind.plural}/{part.name}",
        "singularName": "",
        "namespaced": kind.namespaced,
        "kind": part.kind or kind.kind,
        "verbs": list(part.verbs),
    }
    if part.api is not None:
        found |= {"group": part.api.group, "version": part.api.version} if part.api.group else {}
    return found


def _version(api: Api, registry: Registry) -> Document:
    kinds = registry.served_under(api.group, api.version)
    return {"version": api.version, "freshness": "Current", "resources": [_discovered(each, api) for each in kinds]}


def _discovered(kind: ResourceType, api: Api) -> Document:
    """One resource in the aggregated form."""
    found: Document = {
        "resource": kind.plural,
        "responseKind": {"group": api.group, "version": api.version, "kind": kind.kind},
        "scope": "Namespaced" if kind.namespaced else "Cluster",
        "singularResource": kind.singular,
        "verbs": list(kind.verbs),
        **_names(kind, api.group),
    }
    if kind.subresources:
        found["subresources"] = [_discovered_part(kind, each, api) for each in kind.subresources]
    return found


def _discovered_part(kind: ResourceType, part: Subresource, api: Api) -> Document:
    own = part.api or api
    response = {"group": own.group, "version": own.version, "kind": part.kind or kind.kind}
    return {"subresource": part.name, "responseKind": response, "verbs": list(part.verbs)}

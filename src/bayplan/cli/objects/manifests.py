"""Manifests of files as objects to send: which kind each is of, and where it belongs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.cli.errors import USAGE
from bayplan.cli.files import documents_in, read_once
from bayplan.cli.folders import files_of
from bayplan.cli.objects.targets import DEFAULT, Target
from bayplan.control.resources.registry import REGISTRY
from bayplan.framework.errors import BayplanError, InputError
from bayplan.framework.nearest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.control.resources.resource_type import ResourceType
    from bayplan.manifests.reader import Document

_FIRST = ("Namespace", "CustomResourceDefinition", "PriorityClass")
"""Kinds that others refer to: they are sent before them, wherever in the files they stand."""

_CLUSTERS = "clusters.bayplan.io"
"""Cluster files describe one cluster and often have no name; on a server it is called `default`."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object of a file."""

    target: Target
    document: dict[str, Any]
    source: str

    @property
    def place(self) -> str:
        return f"{self.source}: {self.target.place}"


def read_manifests(
    files: Sequence[str] | None, namespace: str | None, command: str
) -> tuple[list[Manifest], list[BayplanError]]:
    """Every object of the files, and the error of each that cannot be read; one does not hold back the others."""
    if not files:
        raise InputError("FILE is missing", place=command, next=f"name it: {command} -f FILE", code=USAGE)
    read_once(files)
    found: list[Manifest] = []
    problems: list[BayplanError] = []
    for named in files_of(files):
        try:
            documents = list(documents_in([named.name], None, lambda _: None))
        except (BayplanError, OSError) as error:
            problems.append(error if isinstance(error, BayplanError) else _unreadable(named.name, error))
            continue
        for document in documents:
            for path, data in _objects(document):
                try:
                    found.append(manifest_of(document, path, data, namespace))
                except InputError as error:
                    problems.append(error)
    if not found and not problems:
        raise InputError("there is no object in it", place=", ".join(files[:3]), next="write a manifest with a kind")
    found.sort(key=lambda each: each.target.resource.kind not in _FIRST)
    return found, problems


def _objects(document: Document) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The document itself, or the items of a List; an empty document is none."""
    data = document.data
    if isinstance(data, dict) and str(data.get("kind", "")).endswith("List") and isinstance(data.get("items"), list):
        kind, version = str(data["kind"]).removesuffix("List"), data.get("apiVersion")
        for number, item in enumerate(data["items"]):
            inherited = {"apiVersion": version, "kind": kind} if kind and isinstance(item, dict) else {}
            yield ("items", number), inherited | item if isinstance(item, dict) else item
    elif data is not None:
        yield (), data


def manifest_of(document: Document, path: tuple[str | int, ...], data: Any, given: str | None) -> Manifest:
    """The object at a path of a document, with where it belongs; `given` is the namespace of the command line."""
    place = document.place(path)
    if not isinstance(data, dict) or not data.get("kind") or not data.get("apiVersion"):
        step = "write apiVersion and kind; files of GPUStack are read by bayplan import gpustack"
        raise InputError("it is no object: apiVersion and kind are missing", place=place, next=step)
    resource = _resource(str(data["apiVersion"]), str(data["kind"]), place)
    if resource.full_name == _CLUSTERS and not (data.get("metadata") or {}):
        data = data | {"metadata": {"name": DEFAULT}}
    metadata = data.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or not name:
        raise InputError("the object has no name", place=f"{place}: metadata.name", next="write metadata.name")
    namespace = ""
    if resource.namespaced:
        own = metadata.get("namespace") if isinstance(metadata, dict) else None
        if own and given and own != given:
            message = f"the object says {own!r} and -n says {given!r}"
            raise InputError(message, place=f"{place}: metadata.namespace", next="make them equal, or leave -n out")
        namespace = str(own or given or DEFAULT)
    group, _, version = str(data["apiVersion"]).rpartition("/")
    return Manifest(Target(resource, namespace, name, resource.served_by(group, version)), data, place)


def _resource(api_version: str, kind: str, place: str) -> ResourceType:
    found = REGISTRY.of_document(api_version, kind)
    if found is not None and found.stored:
        return found
    alike = [each for each in REGISTRY.kinds if each.kind == kind and each.stored]
    if alike:
        served = " or ".join(str(api) for each in alike for api in each.apis)
        message, step = f"{kind} of apiVersion {api_version[:80]!r} is not served", f"write apiVersion: {served}"
    else:
        message = f"there is no kind {kind[:64]!r}"
        step = did_you_mean(kind, [each.kind for each in REGISTRY.kinds]) or "see docs/kubernetes-kinds.md"
    raise InputError(message, place=place, next=step)


def _unreadable(name: str, error: OSError) -> InputError:
    return InputError(error.strerror or str(error), place=name, next="check the file", code="io")

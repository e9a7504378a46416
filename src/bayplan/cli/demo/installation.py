"""The objects that `bayplan up` applies: a Cluster file, the fleet of a scenario, the examples of the demo."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayplan.cli.files import documents_in
from bayplan.cli.objects.apply import MANAGER
from bayplan.cli.objects.manifests import manifest_of, read_manifests
from bayplan.cli.server.refusals import RefusedError
from bayplan.library.conversion import convert_gpustack
from bayplan.manifests.marks import BACKEND
from bayplan.manifests.reader import Document
from bayplan.sim.demo.contents import GPUSTACK, NAMESPACE, demo_manifests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bayplan.cli.demo.model_files import ModelFiles
    from bayplan.cli.objects.manifests import Manifest
    from bayplan.cli.server.connection import Connection

SELDON = "mlops.seldon.io"
SIMULATED = "simulated"
"""The backend of servers that load and answer without a model in them."""
INSTALLED = "bayplan.io/demo"
"""Annotation of the demo's namespace once all of its objects were made: what a user deletes then stays away."""
EDITION = "2"
_APPLY = "application/apply-patch+yaml"
_QUERY = {"fieldManager": MANAGER, "force": True, "fieldValidation": "Warn"}
_COMMAND = "bayplan up"


def as_manifest(document: dict[str, Any], source: str) -> Manifest:
    """A document that was made here, as an object to apply."""
    return manifest_of(Document(document, source), (), document, None)


def demo_objects(models: ModelFiles) -> list[Manifest]:
    """The examples of every dialect; the namespace is not among them."""
    found = [each for file in demo_manifests() for each in _objects(str(file), gpustack=file.name == GPUSTACK)]
    return [_served(each, models) if each.target.resource.collection.group == SELDON else each for each in found]


def apply_whole(connection: Connection, manifest: Manifest) -> None:
    """Make an object as it is written, or change it to that."""
    connection.call("PATCH", manifest.target.path, _QUERY, manifest.document, place=manifest.place, media=_APPLY)


def install(connection: Connection, manifests: list[Manifest], done: Callable[[int], None]) -> None:
    """Make the objects that are missing; those that are there stay as they are, whoever changed them."""
    for number, each in enumerate(manifests):
        done(number)
        if found(connection, each) is None:
            apply_whole(connection, each)
    done(len(manifests))


def is_installed(connection: Connection) -> bool:
    """Whether all of the demo was made before."""
    namespace = found(connection, _namespace())
    return namespace is not None and (namespace["metadata"].get("annotations") or {}).get(INSTALLED) == EDITION


def install_namespace(connection: Connection, *, complete: bool) -> None:
    """Make the namespace of the demo, and note there when everything else was made."""
    apply_whole(connection, _namespace({INSTALLED: EDITION} if complete else {}))


def found(connection: Connection, manifest: Manifest) -> dict[str, Any] | None:
    """The object as the server has it."""
    try:
        document: dict[str, Any] = connection.get(manifest.target.path, place=manifest.place)
    except RefusedError as error:
        if error.status == 404:
            return None
        raise
    return document


def applied(cluster: dict[str, Any]) -> dict[str, Any] | None:
    """What a Cluster says about its workers: its condition, where that is about the present generation."""
    status = cluster.get("status") or {}
    if status.get("observedGeneration") != (cluster.get("metadata") or {}).get("generation"):
        return None
    return next((each for each in status.get("conditions") or () if each.get("type") == "Applied"), None)


def _namespace(annotations: dict[str, str] | None = None) -> Manifest:
    metadata = {"name": NAMESPACE, "annotations": annotations or {}}
    return as_manifest({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}, "demo")


def _served(manifest: Manifest, models: ModelFiles) -> Manifest:
    """With the files of models where they are on this machine, and servers that are simulated where need be."""
    document = manifest.document
    if document["kind"] == "Model":
        place = document["spec"]["storageUri"].replace("{models}", str(models.folder))
        document = {**document, "spec": {**document["spec"], "storageUri": place}}
    elif document["kind"] == "Server" and models.simulated:
        annotations = {BACKEND: SIMULATED}
        document = {**document, "metadata": {**document["metadata"], "annotations": annotations}}
    return replace(manifest, document=document)


def _objects(file: str, *, gpustack: bool) -> Iterator[Manifest]:
    if not gpustack:
        yield from read_manifests([file], None, _COMMAND)[0]
        return
    for document in convert_gpustack(list(documents_in([file], None, lambda _: None))).items:
        document["metadata"]["namespace"] = NAMESPACE
        yield as_manifest(document, file)

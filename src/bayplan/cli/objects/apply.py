"""`bayplan apply`: create or change objects so that they are as files say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bayplan.cli.errors import report
from bayplan.cli.objects.flags import DryRun, Manifests, Namespace, ObjectFormat
from bayplan.cli.objects.manifests import manifest_of, read_manifests
from bayplan.cli.objects.printing import print_objects
from bayplan.cli.server.connection import Connection, connect
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.cli.server.refusals import RefusedError
from bayplan.cli.text import write
from bayplan.manifests.reader import Document

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bayplan.cli.objects.manifests import Manifest

COMMAND = "bayplan apply"
MANAGER = "bayplan"
"""The name under which the fields of an applied object are recorded as ours."""
_APPLY = "application/apply-patch+yaml"


def apply(
    *files: Annotated[str, Parameter(help="More files or folders of manifests; -f may be left out.")],
    filename: Manifests = None,
    namespace: Namespace = None,
    force_conflicts: Annotated[
        bool, Parameter(negative=(), help="Take fields over that another program or person owns.")
    ] = False,
    strict: Annotated[
        bool, Parameter(negative=(), help="Refuse objects with fields that are not known, instead of warning.")
    ] = False,
    dry_run: DryRun = False,
    server_side: Annotated[
        bool, Parameter(negative=(), help="For users of kubectl; objects are always applied by the server.")
    ] = False,
    output: ObjectFormat = "table",
    server: ServerAddress = None,
    data: DataFolder = None,
) -> int:
    """Create or change objects so that they are as the files say.

    Each object has one line: created, configured (changed) or unchanged. An object that is refused holds back no
    other one; all problems are told, and the exit code is then 1. Fields that another program owns are not taken over
    without --force-conflicts. Namespaces and PriorityClasses are sent first.
    """
    manifests, problems = read_manifests([*(filename or ()), *files], namespace, COMMAND)
    query = {
        "fieldManager": MANAGER,
        "force": force_conflicts,
        "fieldValidation": "Strict" if strict else "Warn",
        "dryRun": "All" if dry_run else "",
    }
    as_lines = output in ("table", "wide")
    with connect(server, data) as connection:
        applied, refused = _send_all(connection, manifests, query, as_lines=as_lines)
    if not as_lines:
        print_objects(applied, output)
    for problem in (*problems, *refused):
        report(problem, as_json=output == "json")
    return 1 if problems or refused else 0


def apply_documents(documents: Sequence[dict[str, Any]], source: str, server: str | None, data: Path | None) -> int:
    """Apply documents that another command made, a line for each; the exit code."""
    manifests = [manifest_of(Document(each, source), (), each, None) for each in documents]
    query = {"fieldManager": MANAGER, "force": False, "fieldValidation": "Warn", "dryRun": ""}
    with connect(server, data) as connection:
        _, refused = _send_all(connection, manifests, query, as_lines=True)
    for problem in refused:
        report(problem)
    return 1 if refused else 0


def _send_all(
    connection: Connection, manifests: list[Manifest], query: dict[str, Any], *, as_lines: bool
) -> tuple[list[dict[str, Any]], list[RefusedError]]:
    """Apply each object; the objects as they are now, and the refusals."""
    applied: list[dict[str, Any]] = []
    refused: list[RefusedError] = []
    note = " (dry run)" if query["dryRun"] else ""
    for each in manifests:
        try:
            before, after = _applied(connection, each, query)
        except RefusedError as error:
            refused.append(error)
            continue
        applied.append(after)
        if as_lines:
            write(f"{each.target.reference} {outcome(each.document, before, after)}{note}\n")
    return applied, refused


def _applied(
    connection: Connection, manifest: Manifest, query: dict[str, Any]
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """The object before and after."""
    before = _found(connection, manifest)
    path, place = manifest.target.path, manifest.place
    answer = connection.call("PATCH", path, query, manifest.document, place=place, media=_APPLY)
    return before, answer.document


def _found(connection: Connection, manifest: Manifest) -> dict[str, Any] | None:
    """The object as the server has it."""
    try:
        found: dict[str, Any] = connection.get(manifest.target.path, place=manifest.place)
    except RefusedError as error:
        if error.status == 404:
            return None
        raise
    return found


def outcome(manifest: dict[str, Any], before: dict[str, Any] | None, after: dict[str, Any]) -> str:
    """What became of an object; only fields of the manifest count, because loops write to the others meanwhile."""
    if before is None:
        return "created"
    same = _owned(before) == _owned(after) and _at(manifest, before) == _at(manifest, after)
    return "unchanged" if same else "configured"


def _owned(document: dict[str, Any]) -> Any:
    """The names of the fields that were applied by us, which tells fields that a manifest no longer has."""
    for entry in document["metadata"].get("managedFields", ()):
        if entry.get("manager") == MANAGER and entry.get("operation") == "Apply":
            return entry.get("fieldsV1")
    return None


def _at(manifest: Any, document: Any) -> Any:
    """What the document has where the manifest has something; lists as a whole."""
    if not (isinstance(manifest, dict) and isinstance(document, dict)):
        return document
    return {key: _at(value, document.get(key)) for key, value in manifest.items()}

"""`bayplan delete`: remove objects, with what they own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from bayplan.cli.errors import USAGE, note, report
from bayplan.cli.objects.flags import AllNamespaces, DryRun, Labels, Manifests, Namespace
from bayplan.cli.objects.manifests import read_manifests
from bayplan.cli.objects.reading import pages
from bayplan.cli.objects.targets import Target, targets_of
from bayplan.cli.server.connection import JSON, Connection, connect
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.cli.server.refusals import RefusedError
from bayplan.cli.text import write
from bayplan.framework.errors import BayplanError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMAND = "bayplan delete"
_POLL_S, _SLOWEST_POLL_S = 0.05, 1.0
_NOT_FOUND = 404


def delete(
    *words: Annotated[str, Parameter(help="KIND NAME…, or KIND/NAME…; KIND alone with -l or --all.")],
    filename: Manifests = None,
    namespace: Namespace = None,
    all_namespaces: AllNamespaces = False,
    selector: Labels = None,
    all: Annotated[bool, Parameter(negative=(), help="Every object of the kind in the namespace.")] = False,  # noqa: A002
    cascade: Annotated[
        Literal["background", "foreground", "orphan"],
        Parameter(help="What it owns is deleted after it, before it, or kept."),
    ] = "background",
    ignore_not_found: Annotated[bool, Parameter(negative=(), help="An object that is not there is no error.")] = False,
    wait: Annotated[bool, Parameter(negative="--no-wait", help="Wait until the objects are gone.")] = True,
    timeout: Annotated[float, Parameter(help="Seconds to wait at most; 0 waits for ever.")] = 0.0,
    dry_run: DryRun = False,
    server: ServerAddress = None,
    data: DataFolder = None,
) -> int:
    """Delete objects by name, by label, or as files name them; a line for each.

    An object with finalizers is gone when these are removed: the command waits for that unless --no-wait. Exit code 1
    if an object is not there or is refused; the others are deleted nevertheless.
    """
    body = {"propagationPolicy": cascade.capitalize(), **({"dryRun": ["All"]} if dry_run else {})}
    with connect(server, data) as connection:
        targets, problems = _targets(
            connection, words, filename, namespace, selector, everything=all, whole=all_namespaces
        )
        deleted, refused = _delete_all(connection, targets, body)
        problems += [each for each in refused if not (ignore_not_found and each.status == _NOT_FOUND)]
        if not targets and not problems:
            note("there is nothing to delete")
        if wait and not dry_run:
            deadline = time.monotonic() + timeout if timeout else None
            problems += [each for each in (_gone(connection, *one, deadline) for one in deleted) if each is not None]
    for problem in problems:
        report(problem)
    return 1 if problems else 0


def _delete_all(
    connection: Connection, targets: list[tuple[Target, str]], body: dict[str, Any]
) -> tuple[list[tuple[Target, str]], list[RefusedError]]:
    """Delete each object; what was there with its uid, and the refusals."""
    deleted: list[tuple[Target, str]] = []
    refused: list[RefusedError] = []
    for target, place in targets:
        try:
            deleted.append((target, _deleted(connection, target, place, body)))
        except RefusedError as error:
            refused.append(error)
            continue
        write(f"{_shown(target)} deleted{' (dry run)' if 'dryRun' in body else ''}\n")
    return deleted, refused


def _targets(
    connection: Connection,
    words: Sequence[str],
    files: list[str] | None,
    namespace: str | None,
    selector: str | None,
    *,
    everything: bool,
    whole: bool,
) -> tuple[list[tuple[Target, str]], list[BayplanError]]:
    """Each object with the place that errors name."""
    if files:
        if words:
            raise InputError("name objects or files, not both", place=COMMAND, next="leave one out", code=USAGE)
        manifests, problems = read_manifests(files, namespace, COMMAND)
        return [(each.target, each.place) for each in manifests], problems
    found: list[tuple[Target, str]] = []
    for target in targets_of(words, namespace, everywhere=whole):
        if target.name:
            found.append((target, target.place))
            continue
        if not (everything or selector):
            message = f"which {target.resource.plural} are meant is not said"
            raise InputError(message, place=COMMAND, next="name them, or use -l LABELS or --all", code=USAGE)
        for page in pages(connection, target, {"labelSelector": selector}, JSON):
            each = [
                target.named(item["metadata"]["name"], item["metadata"].get("namespace", "")) for item in page["items"]
            ]
            found += [(one, one.place) for one in each]
    return found, []


def _deleted(connection: Connection, target: Target, place: str, body: dict[str, Any]) -> str:
    """Delete it; the uid of what was there."""
    answer = connection.call("DELETE", target.path, body=body, place=place).document
    return str((answer.get("details") or {}).get("uid") or (answer.get("metadata") or {}).get("uid", ""))


def _gone(connection: Connection, target: Target, uid: str, deadline: float | None) -> BayplanError | None:
    """Wait until the object is gone, or another of the same name is there."""
    pause = _POLL_S
    while True:
        try:
            present = connection.get(target.path, place=target.place)
        except RefusedError as error:
            return None if error.status == _NOT_FOUND else error
        metadata = present["metadata"]
        if metadata.get("uid") != uid:
            return None
        if deadline is not None and time.monotonic() >= deadline:
            held = ", ".join(metadata.get("finalizers") or ()) or "what it owns"
            message = f"it is being deleted, and is held back by {held}"
            return BayplanError(
                message, place=target.place, next="wait longer, or remove the finalizers", code="timeout"
            )
        time.sleep(pause)
        pause = min(2 * pause, _SLOWEST_POLL_S)


def _shown(target: Target) -> str:
    kind, _, name = target.reference.rpartition("/")
    return f'{kind} "{name}"'

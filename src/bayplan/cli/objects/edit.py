"""`bayplan edit`: change an object in an editor; nothing that was typed is ever lost."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bayplan.cli.errors import note
from bayplan.cli.objects.flags import Namespace
from bayplan.cli.objects.merging import merge_difference, merged
from bayplan.cli.objects.printing import shown_object
from bayplan.cli.objects.redaction import restored
from bayplan.cli.objects.targets import Target, one_target
from bayplan.cli.output import as_yaml
from bayplan.cli.server.connection import Connection, connect
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.cli.server.refusals import RefusedError
from bayplan.cli.text import one_line, write
from bayplan.framework.errors import BayplanError, InputError
from bayplan.manifests.reader import read_text

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMAND = "bayplan edit"
MANAGER = "bayplan-edit"
_MERGE = "application/merge-patch+json"
_HELP = (
    "Change the object below and save. An unchanged or empty file changes nothing.",
    "Lines that begin with # are ignored.",
)
_EDITORS = ("BAYPLAN_EDITOR", "VISUAL", "EDITOR")
_REFUSED = (400, 409, 413, 422)  # what another text may cure


def edit(
    *words: Annotated[str, Parameter(help="KIND NAME, or KIND/NAME.")],
    namespace: Namespace = None,
    server: ServerAddress = None,
    data: DataFolder = None,
) -> int:
    """Open an object in an editor ($VISUAL, $EDITOR, else vi) and store what was changed.

    Where the text cannot be read or is refused, the editor opens again with the error on top. If somebody else changed
    the object meanwhile, your changes are put on the newest version for you to look at. If you give up, the text is
    kept in a file. The data of Secrets is hidden; values that stay hidden stay as they are.
    """
    target = one_target(words, namespace, COMMAND)
    with connect(server, data) as connection:
        live: dict[str, Any] = connection.get(target.path, place=target.place)
        return _Editing(connection, target, live).run()


class _Editing:
    """An object in an editor: what the server has, what the user sees, and the errors on top."""

    def __init__(self, connection: Connection, target: Target, live: dict[str, Any]) -> None:
        self._connection, self._target, self._live = connection, target, live
        self._shown = shown_object(live)
        self._was_merged = False  # saving the text as it is stores it, because it is no longer what the server has

    def run(self) -> int:
        """Edit until the change is stored, or the user gives up."""
        descriptor, name = tempfile.mkstemp(prefix="bayplan-edit-", suffix=".yaml")  # mode 0600
        os.close(descriptor)
        file = Path(name)
        text = "".join(as_yaml(self._shown))
        problems: Sequence[str] = ()
        while True:
            file.write_text(_headed(text, problems), encoding="utf-8")
            written = file.stat().st_mtime_ns
            _open_editor(file)
            edited = _without_comments(file.read_text(encoding="utf-8"))
            accepted = self._was_merged and file.stat().st_mtime_ns != written
            if edited == text and problems and not accepted:
                raise self._given_up(file, problems)
            if (edited == text and not accepted) or not edited.strip():
                file.unlink()
                note("nothing was changed")
                return 0
            try:
                text, problems = self._stored(edited)
            except BaseException:
                note(f"your text is kept in {file}")
                raise
            if not problems:
                file.unlink()
                write(f"{self._target.reference} {'edited' if text else 'unchanged'}\n")
                return 0

    def _given_up(self, file: Path, problems: Sequence[str]) -> InputError:
        following = f"your text is kept in {file}"
        return InputError(f"not stored: {problems[0]}", place=self._target.place, next=following)

    def _stored(self, edited: str) -> tuple[str, Sequence[str]]:
        """Store it; else the text to show next and what is wrong with it."""
        self._was_merged = False
        try:
            document = restored(_parsed(edited), self._live)
        except BayplanError as error:
            return edited, [str(error)]
        own = {**self._live, "metadata": {**self._live["metadata"]}}
        own["metadata"].pop("managedFields", None)
        patch = merge_difference(own, document)
        if not patch:
            return "", ()
        guard = {"metadata": {**(patch.get("metadata") or {}), "resourceVersion": own["metadata"]["resourceVersion"]}}
        query = {"fieldManager": MANAGER, "fieldValidation": "Strict"}
        path, place = self._target.path, self._target.place
        try:
            self._connection.call("PATCH", path, query, patch | guard, place=place, media=_MERGE)
        except RefusedError as error:
            if error.status not in _REFUSED:
                raise
            if error.status != 409:
                return edited, [str(each) for each in error.problems]
            return self._taken_up(patch)
        return edited, ()

    def _taken_up(self, patch: dict[str, Any]) -> tuple[str, Sequence[str]]:
        """The newest version with the user's changes on it, after somebody else changed the object."""
        self._live = self._connection.get(self._target.path, place=self._target.place)
        self._shown = shown_object(merged(self._live, patch))
        said = "the object was changed meanwhile; these are your changes on its newest version: look at them and save"
        self._was_merged = True
        return "".join(as_yaml(self._shown)), [said]


def _parsed(text: str) -> dict[str, Any]:
    documents = [each for each in read_text(text.encode(), "edited") if each.data is not None]
    if len(documents) != 1 or not isinstance(documents[0].data, dict):
        raise InputError("there must be one object", place="edited", next="keep one object in the file")
    return documents[0].data


def _headed(text: str, problems: Sequence[str]) -> str:
    """The text below comments that explain it; errors come first."""
    lines = [*(f"error: {one_line(each)}" for each in problems), *([""] if problems else []), *_HELP]
    return "".join(f"# {line}".rstrip() + "\n" for line in lines) + text


def _without_comments(text: str) -> str:
    """Without the comments on top; others belong to what the user wrote."""
    lines = text.splitlines(keepends=True)
    while lines and lines[0].startswith("#"):
        lines.pop(0)
    return "".join(lines)


def _open_editor(file: Path) -> None:
    command = next((os.environ[name] for name in _EDITORS if os.environ.get(name)), "vi")
    try:
        done = subprocess.run([*shlex.split(command), str(file)], check=False)  # noqa: S603 (the user's own editor)
    except OSError as error:
        file.unlink()  # nothing was typed
        message = f"the editor {command!r} cannot be started: {error.strerror}"
        raise InputError(message, place=COMMAND, next="set EDITOR to the command of your editor") from error
    if done.returncode:
        message = f"the editor {command!r} ended with exit code {done.returncode}"
        raise InputError(message, place=COMMAND, next=f"nothing was stored; your text is kept in {file}")

"""Writes a plan into a Cluster file: whole or not at all, even where the process is killed."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayplan.cli.yaml_output import yaml_pieces
from bayplan.framework.errors import ConflictError, InputError
from bayplan.manifests.native.cluster_writer import KIND, write_cluster
from bayplan.manifests.native.short_forms import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bayplan.cluster.cluster import Cluster
    from bayplan.manifests.reader import Document

FLAG = "--commit-to"
_NOT_KEPT = ("status", "warnings")
"""Fields that describe the cluster as it was before the plan."""


@dataclass(frozen=True, slots=True)
class Target:
    """The file to write (the target of a symbolic link), and its state before anything was read."""

    path: Path
    before: os.stat_result | None

    @classmethod
    def of(cls, name: str, place: str = FLAG) -> Target:
        """The target, checked before the plan is made: a path that cannot be written is refused at once."""
        try:
            path = Path(name).resolve()
            before = path.stat() if path.exists() else None
        except (OSError, RuntimeError, ValueError) as error:
            raise InputError(f"{name[:200]!r} cannot be reached: {error}", place=place, next="check the path") from None
        if before is not None and not stat.S_ISREG(before.st_mode):
            raise InputError(f"{name} is no regular file", place=place, next="name a file, new or old")
        if not path.parent.is_dir():
            raise InputError(f"there is no folder {path.parent}", place=place, next="make it first")
        return cls(path, before)

    def check(self) -> None:
        """Refuse to overwrite a file that another process has changed since it was read."""
        now = self.path.stat() if self.path.exists() else None
        if _version(now) != _version(self.before):
            message = "the file changed while the plan was made; nothing was written"
            raise ConflictError(message, place=str(self.path), next="plan again on what it says now")


def commit(cluster: Cluster, target: Target, sources: Iterable[Document] = ()) -> None:
    """Write the cluster with everything that was planned, by rename: a reader sees the old file or the new one.

    Fields of Cluster documents among the sources that placement does not look at, such as `metadata`, are kept.
    """
    write_document(target, _with_other_fields(shortened(write_cluster(cluster)), sources))


def write_document(target: Target, document: dict[str, Any]) -> None:
    """Write a document as JSON or YAML, as the name of the file says, by rename."""
    text = _json(document) if target.path.suffix == ".json" else "".join(yaml_pieces(document)).encode()
    with _problems_told(target.path):
        _replace(target, text)


def _with_other_fields(written: dict[str, Any], sources: Iterable[Document]) -> dict[str, Any]:
    others: dict[str, Any] = {}
    for source in sources:
        if isinstance(source.data, dict) and source.data.get("kind", KIND) == KIND:
            others |= {key: value for key, value in source.data.items() if key not in {*written, *_NOT_KEPT}}
    head = {key: written[key] for key in ("apiVersion", "kind")}
    return {**head, **others, **written}


def _replace(target: Target, text: bytes) -> None:
    folder = target.path.parent
    number, name = tempfile.mkstemp(prefix=f".{target.path.name[:100]}.", suffix=".new", dir=folder)
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(text)
            stream.flush()
            _keep_owner_and_mode(number, target.before)
            os.fsync(number)
        target.check()
        Path(name).replace(target.path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    _sync_folder(folder)


def _keep_owner_and_mode(number: int, before: os.stat_result | None) -> None:
    if before is None:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(number, 0o666 & ~mask)
        return
    with contextlib.suppress(PermissionError):  # only root may give files away
        os.fchown(number, before.st_uid, before.st_gid)
    os.fchmod(number, stat.S_IMODE(before.st_mode))


def _sync_folder(folder: Path) -> None:
    """Make the rename survive a crash. Some file systems refuse that; the file is whole in any case."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


@contextlib.contextmanager
def _problems_told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"it cannot be written: {error.strerror or error}; what was there is untouched"
        raise InputError(message, place=str(path), next="check the folder and the disk", code="io") from None


def _version(state: os.stat_result | None) -> tuple[int, ...] | None:
    return None if state is None else (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)


def _json(document: dict[str, Any]) -> bytes:
    import orjson  # noqa: PLC0415 (only who commits pays for it)

    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)

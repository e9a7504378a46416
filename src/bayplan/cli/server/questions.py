"""Questions that a server answers about its own cluster: plans and explanations."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from bayplan.cli.files import read_config_file, read_time, read_workload_files
from bayplan.cli.objects.targets import one_target
from bayplan.cli.progress import told_when_slow
from bayplan.cli.server.connection import Connection, connect
from bayplan.cli.server.refusals import UnreachableError
from bayplan.control.resources.registry import REGISTRY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


def options_of(files: Sequence[str], config: str | None, seed: int, now: str | None, command: str) -> dict[str, Any]:
    """The workloads of files and how to plan them, as the server takes them."""
    moment = read_time(now)
    read = read_config_file(config)
    return {
        "workloads": [each.data for each in read_workload_files(files, command)],
        "seed": seed,
        "now": time.time() if moment is None else moment,
        **({} if read is None else {"config": read.data}),
    }


def ask_about(path: str, body: dict[str, Any], server: str | None, data: Path | None, command: str) -> dict[str, Any]:
    """The answer about workloads that are sent."""
    with _server(server, data) as connection, told_when_slow("asking the server"):
        found: dict[str, Any] = connection.call("POST", path, body=body, place=command).document
    return found


def ask_gpus(*, holders: bool, server: str | None, data: Path | None, command: str) -> dict[str, Any]:
    """The cards of the server's cluster."""
    with _server(server, data) as connection:
        found: dict[str, Any] = connection.get("/v1/gpus", {"holders": holders}, place=command)
    return found


def ask_why(
    words: Sequence[str], namespace: str | None, worker: str | None, server: str | None, data: Path | None, command: str
) -> dict[str, Any]:
    """The answer about an object that the server has."""
    target = one_target(_placed(words), namespace, command)
    path = f"/v1/why/{quote(target.resource.full_name, safe='')}/{quote(target.name, safe='')}"
    query = {"namespace": target.namespace, "worker": worker}
    with connect(server, data) as connection, told_when_slow("asking every worker"):
        found: dict[str, Any] = connection.get(path, query, place=target.place)
    return found


def _placed(words: Sequence[str]) -> list[str]:
    """The words with the kind that has places, where a name means several: a model is the one that servers load."""
    kind, slash, name = words[0].partition("/")
    meant = REGISTRY.placed(kind).full_name if len(REGISTRY.named(kind)) > 1 else kind
    return [f"{meant}{slash}{name}", *words[1:]]


@contextmanager
def _server(server: str | None, data: Path | None) -> Iterator[Connection]:
    """A connection; where no server answers, the error also says that a file can describe the cluster."""
    try:
        with connect(server, data) as connection:
            yield connection
    except UnreachableError as error:
        following = f"{error.next}; or describe the cluster in a file: --cluster FILE"
        raise UnreachableError(error.message, place=error.place, next=following) from error

"""`bayplan why`: every worker or server and every check, and what would make a workload fit."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bayplan.cli.errors import USAGE, warn
from bayplan.cli.files import (
    ClusterFiles,
    ConfigFile,
    Now,
    Seed,
    WorkloadFiles,
    read_cluster_files,
    read_config_file,
    read_once,
    read_time,
    read_workload_files,
)
from bayplan.cli.objects.flags import Namespace
from bayplan.cli.output import Format, emit
from bayplan.cli.progress import told_when_slow
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.cli.serving.model_plan_text import is_model
from bayplan.cli.serving.model_why_text import model_why_parts
from bayplan.cli.why_text import why_parts
from bayplan.framework.errors import InputError
from bayplan.library.why import why as explain

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = "bayplan why"


def why(
    *words: Annotated[str, Parameter(help="An object of a server: KIND/NAME, or KIND NAME.")],
    file: WorkloadFiles = None,
    cluster: ClusterFiles = None,
    worker: Annotated[str | None, Parameter(help="Explain only this worker.")] = None,
    workload: Annotated[
        str | None, Parameter(help="Explain this workload: NAME or NAMESPACE/NAME; default: the last one.")
    ] = None,
    config: ConfigFile = None,
    seed: Seed = 0,
    now: Now = None,
    namespace: Namespace = None,
    output: Format = "table",
    server: ServerAddress = None,
    data: DataFolder = None,
) -> None:
    """Explain every worker: which checks a workload fails there, or its score; then the changes that would make it fit.

    A model of mlops.seldon.io is explained by servers and their replicas instead.
    One workload is explained, after the workloads before it are planned. Workers with equal answers share a line
    unless -o wide; JSON and YAML list each. Exit code 0 whenever there is an answer.

    Without --cluster a running server is asked: about one of its objects (KIND/NAME), or about workloads of files.
    """
    read_once(file, cluster, config)
    if words or not cluster:
        document = _asked(words, file, cluster, worker, workload, config, seed, now, namespace, server, data)
        _print(document, output)
        return
    moment = read_time(now)
    with told_when_slow("asking every worker"):
        document = explain(
            read_workload_files(file or (), COMMAND),
            read_cluster_files(cluster, COMMAND),
            worker=worker,
            workload=workload,
            config=read_config_file(config),
            seed=seed,
            now=time.time() if moment is None else moment,
        )
    _print(document, output)


def _asked(
    words: tuple[str, ...],
    file: list[str] | None,
    cluster: list[str] | None,
    worker: str | None,
    workload: str | None,
    config: str | None,
    seed: int,
    now: str | None,
    namespace: str | None,
    server: str | None,
    data: Path | None,
) -> dict[str, Any]:
    """The answer of a running server."""
    from bayplan.cli.server.questions import ask_about, ask_why, options_of  # noqa: PLC0415 (files need no network)

    if words:
        if file or cluster:
            message = "an object of a server is explained on the server's own cluster"
            raise InputError(message, place=COMMAND, next="leave -f and --cluster out", code=USAGE)
        return ask_why(words, namespace, worker, server, data, COMMAND)
    named = {"worker": worker, "workload": workload}
    body = options_of(file or (), config, seed, now, COMMAND)
    return ask_about("/v1/why", body | {key: value for key, value in named.items() if value}, server, data, COMMAND)


def _print(document: dict[str, Any], output: str) -> None:
    for warning in document["warnings"]:
        warn(warning)
    parts = model_why_parts(document) if is_model(document) else why_parts(document, wide=output == "wide")
    emit(document, output, *parts)

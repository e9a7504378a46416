"""`bayplan why`: every worker and every check, and what would make a workload fit."""

from __future__ import annotations

import time
from typing import Annotated

from cyclopts import Parameter

from bayplan.cli.errors import warn
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
from bayplan.cli.output import Format, emit
from bayplan.cli.progress import told_when_slow
from bayplan.cli.why_text import why_parts
from bayplan.library.why import why as explain

COMMAND = "bayplan why"


def why(
    *,
    file: WorkloadFiles = None,
    cluster: ClusterFiles = None,
    worker: Annotated[str | None, Parameter(help="Explain only this worker.")] = None,
    workload: Annotated[
        str | None, Parameter(help="Explain this workload: NAME or NAMESPACE/NAME; default: the last one.")
    ] = None,
    config: ConfigFile = None,
    seed: Seed = 0,
    now: Now = None,
    output: Format = "table",
) -> None:
    """Explain every worker: which checks a workload fails there, or its score; then the changes that would make it fit.

    One workload is explained, after the workloads before it are planned. Workers with equal answers share a line
    unless -o wide; JSON and YAML list each. Exit code 0 whenever there is an answer.
    """
    read_once(file, cluster, config)
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
    for warning in document["warnings"]:
        warn(warning)
    emit(document, output, *why_parts(document, wide=output == "wide"))

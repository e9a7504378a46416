"""`bayplan scale`: how many replicas models and servers should have, worked out from files."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from cyclopts import Parameter

from bayplan.cli.files import ClusterFiles, WorkloadFiles, read_cluster_files, read_once, read_workload_files
from bayplan.cli.output import Format, Sheet, emit
from bayplan.cli.single_file import read_single
from bayplan.library.scale import scale as advice_of

COMMAND = "bayplan scale"
_COLUMNS = ("NAME", "KIND", "CURRENT", "DESIRED", "ACTION", "REASON")

SignalsFile: TypeAlias = Annotated[
    str | None,
    Parameter(name="--signals", allow_leading_hyphen=True, help="What is measured of the models; - is stdin."),
]


def scale(
    *more: Annotated[str, Parameter(help="More files or folders of models; -f may be left out.")],
    file: WorkloadFiles = None,
    cluster: ClusterFiles = None,
    signals: SignalsFile = None,
    output: Format = "table",
) -> None:
    """Say how many replicas models and the servers of a cluster should have, and why. Nothing is changed.

    Models of mlops.seldon.io are scaled by their lag and idle time (--signals), within minReplicas and maxReplicas.
    Servers grow for models that do not fit, and shrink where replicas are empty or, with packing: true in the signals,
    where all models fit on fewer. Without -f only the servers are looked at. Exit code 0 whenever there is an answer.
    """
    files = [*(file or ()), *more]
    read_once(files, cluster, signals)
    document = advice_of(
        read_workload_files(files, COMMAND) if files else (),
        None if signals is None else read_single(signals, "--signals"),
        cluster=read_cluster_files(cluster, COMMAND) if cluster or not files else None,
    )
    answers = document["items"] if document["kind"] == "ScalingList" else [document]
    emit(document, output, Sheet(_COLUMNS, [_row(each) for each in answers]))


def _row(answer: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(answer[key]) for key in ("workload", "subject", "current", "desired", "action", "reason"))

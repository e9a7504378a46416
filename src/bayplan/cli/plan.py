"""`bayplan plan`: where workloads and models would go, or what stands in their way."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

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
    warn_if_empty,
)
from bayplan.cli.output import Format, Part, Verbatim, emit
from bayplan.cli.plan_list_text import plan_list_parts
from bayplan.cli.plan_text import plan_parts
from bayplan.cli.progress import told_when_slow
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.cli.serving.model_plan_text import is_model, model_list_parts, model_plan_parts
from bayplan.cli.text import one_line, workload_text
from bayplan.framework.errors import InputError
from bayplan.library.plan import planned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from bayplan.cli.commit import Target

COMMAND = "bayplan plan"
FITS, NOTHING_PLACED, PARTLY = 0, 2, 3


def plan(
    *more: Annotated[str, Parameter(help="More files or folders of workloads; -f may be left out.")],
    file: WorkloadFiles = None,
    cluster: ClusterFiles = None,
    config: ConfigFile = None,
    seed: Seed = 0,
    now: Now = None,
    order: Annotated[
        Literal["given", "queue"],
        Parameter(help="Order of planning: as given, or as in a queue (by priority, then age, then name)."),
    ] = "given",
    commit_to: Annotated[
        str | None,
        Parameter(
            help="Write the cluster with the planned bookings, without removed ones, to this file; may be the input."
        ),
    ] = None,
    output: Format = "table",
    server: ServerAddress = None,
    data: DataFolder = None,
) -> int:
    """Say where workloads would go, in order, each on what the workloads before it leave free. Nothing is reserved.

    Without --cluster a running server is asked about its cluster.
    One workload is shown with all details; several have one line each, totals and the failures (-o wide: all details).
    Exit code 0: all fit; 2: nothing was placed, and nothing is written; 3: a part was placed, and that is written.
    The file of --commit-to is replaced in one step. Sizes are written as numbers of MiB; comments are not kept, nor
    are unknown fields of workers and bookings, each of which has a warning.
    """
    files = [*(file or ()), *more]
    read_once(files, cluster, config)
    if not cluster:
        return _ask_server(files, commit_to, config, seed, now, order, output, server, data)
    target = None
    if commit_to is not None:
        from bayplan.cli.commit import Target, commit  # noqa: PLC0415 (a plain plan writes nothing)

        target = Target.of(commit_to)
    moment = read_time(now)
    with told_when_slow("planning"):
        workloads, clusters = read_workload_files(files, COMMAND), read_cluster_files(cluster, COMMAND)
        made = planned(
            workloads,
            clusters,
            config=read_config_file(config),
            seed=seed,
            now=time.time() if moment is None else moment,
            order=order,
        )
        document, documents = made.document(), made.documents
        status = status_of(documents)
        if target is not None and status != NOTHING_PLACED:
            commit(made.planner.result(), target, clusters)
    inventory = made.planner.inventory
    warn_if_empty(len(inventory.cluster.workers) + len(inventory.cluster.servers))
    _warn(documents, inventory.warnings)
    ask = ["bayplan", "why", *_flags("-f", files), *_flags("--cluster", cluster or ())]
    written = [] if target is None else ["", _written(target, documents, status)]
    emit(document, output, *_parts(documents, ask, wide=output == "wide"), *written)
    return status


def _ask_server(
    files: list[str],
    commit_to: str | None,
    config: str | None,
    seed: int,
    now: str | None,
    order: str,
    output: str,
    server: str | None,
    data: Path | None,
) -> int:
    """A plan on the cluster of a running server."""
    from bayplan.cli.server.questions import ask_about, options_of  # noqa: PLC0415 (files need no network)

    if commit_to is not None:
        step = "name the cluster that is written: --cluster FILE"
        raise InputError("a server's cluster is not written to a file", place="--commit-to", next=step, code=USAGE)
    body = options_of(files, config, seed, now, COMMAND) | {"order": order}
    document = ask_about("/v1/plan", body, server, data, COMMAND)
    documents: list[dict[str, Any]] = document["items"] if document["kind"] == "PlanList" else [document]
    _warn(documents, ())
    ask = ["bayplan", "why", *_flags("-f", files)]
    emit(document, output, *_parts(documents, ask, wide=output == "wide"))
    return status_of(documents)


def status_of(documents: list[dict[str, Any]]) -> int:
    """The exit code of plans."""
    if all(each["verdict"] == "fits" for each in documents):
        return FITS
    placed = any(
        each["placed"] for each in documents if each["verdict"] in ("fits", "partly")
    )  # not what a model keeps
    return PARTLY if placed else NOTHING_PLACED


def _warn(documents: list[dict[str, Any]], of_cluster: tuple[str, ...]) -> None:
    """Print every warning once, with the name of its workload where there are several."""
    for warning in dict.fromkeys(of_cluster):
        warn(warning)
    for each in documents:
        whose = f"{workload_text(each)}: " if len(documents) > 1 else ""
        for warning in each["warnings"]:
            if warning not in of_cluster:
                warn(f"{whose}{warning}")


def _parts(documents: list[dict[str, Any]], ask: list[str], *, wide: bool) -> list[Part]:
    """The parts to print: all details of one workload; of several one line each, unless -o wide."""
    parts: list[Part] = []
    if len(documents) > 1 and not wide:
        for some, drawn in _kinds(documents):
            parts += [*([""] if parts else []), *drawn(some)]
    else:
        for each in documents:
            parts += [*([""] if parts else []), *(model_plan_parts if is_model(each) else plan_parts)(each)]
    unfit = [each for each in documents if each["verdict"] != "fits"]
    if unfit:
        parts += ["", *_see_why(unfit[-1], documents, ask)]
    return [*parts, "", f"This is {documents[0]['note']}."]


def _kinds(documents: list[dict[str, Any]]) -> Iterator[tuple[list[dict[str, Any]], Callable[..., Iterable[Part]]]]:
    """Plans of workloads and plans of models, each with what draws a list of them."""
    models = [each for each in documents if is_model(each)]
    workloads = [each for each in documents if not is_model(each)]
    if workloads:
        yield workloads, plan_list_parts
    if models:
        yield models, model_list_parts


def _see_why(unfit: dict[str, Any], documents: list[dict[str, Any]], ask: list[str]) -> list[Part]:
    """The next step: the `why` command for a workload. `why` explains the last one unless another is named."""
    named = [] if unfit is documents[-1] else ["--workload", workload_text(unfit)]
    subject = "it" if len(documents) == 1 else workload_text(unfit)
    command = Verbatim(f"  {one_line(shlex.join([*ask, *named]))}")
    what = "server" if is_model(unfit) else "worker"
    return [f"To see every {what}, and what would make {subject} fit:", command]


def _written(target: Target, documents: list[dict[str, Any]], status: int) -> str:
    if status == NOTHING_PLACED:
        return f"{target.path}: not written, because nothing was placed."
    added = sum(not replica.get("kept") for each in documents for replica in each["replicas"])
    gone = sum(len(each["removals"]) for each in documents if not is_model(each))  # what models give up still holds
    victims = sum(len(each.get("victims", ())) for each in documents)
    preempted = f", preempted: {victims}" if victims else ""
    return f"{target.path}: written; replicas added: {added}, removed: {gone}{preempted}."


def _flags(flag: str, files: list[str] | tuple[()]) -> list[str]:
    return [word for file in files for word in (flag, file)]

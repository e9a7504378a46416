"""`bayplan inventory KIND`: what a cluster says about itself, as a native Cluster file."""

from __future__ import annotations

import socket
from itertools import chain
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from bayplan.cli.card_text import cores, gib
from bayplan.cli.errors import warn
from bayplan.cli.files import documents_in, no_inventory
from bayplan.cli.output import Format, Sheet, emit
from bayplan.framework.errors import InputError
from bayplan.library.read_cluster import as_document
from bayplan.manifests.collector import collector_paused
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.inventory.kinds import GPUSTACK, KUBERNETES
from bayplan.manifests.limits import INVENTORY
from bayplan.manifests.native.short_forms import shortened
from bayplan.runtimes.processes.machine_size import cpu_milli, ram_mib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.worker import Worker
    from bayplan.manifests.inventory.inventory import Inventory
    from bayplan.manifests.reader import Document

File: TypeAlias = Annotated[
    list[str] | None,
    Parameter(
        name=("--file", "-f"),
        allow_leading_hyphen=True,
        negative=(),
        help="A file or folder of the inventory, JSON or YAML; - is stdin. May be given several times.",
    ),
]
MoreFiles: TypeAlias = Annotated[str, Parameter(help="More files or folders of the inventory; -f may be left out.")]


def kubernetes(*files: MoreFiles, file: File = None, output: Format = "yaml") -> None:
    """Read what `kubectl get nodes,pods,noderesourcetopologies -o json` printed."""
    _print(read_inventory(_documents(file, files), KUBERNETES), output)


def alnair(*files: MoreFiles, file: File = None, output: Format = "yaml") -> None:
    """Read Nodes with the annotations of the Alnair profiler and device plugin."""
    _print(read_inventory(_documents(file, files), KUBERNETES), output)


def gpustack(*files: MoreFiles, file: File = None, output: Format = "yaml") -> None:
    """Read what the API of GPUStack told about its workers and model instances."""
    _print(read_inventory(_documents(file, files), GPUSTACK), output)


def local(
    name: Annotated[str | None, Parameter(help="Name of this machine; default: its host name.")] = None,
    *,
    output: Format = "yaml",
) -> None:
    """Ask the NVIDIA driver of this machine for its cards."""
    from bayplan.manifests.inventory.local import read_local  # noqa: PLC0415 (the other kinds need no driver)
    from bayplan.manifests.inventory.nvml import nvml  # noqa: PLC0415

    with nvml() as driver:
        found = read_local(driver, name or socket.gethostname(), cpu_milli=cpu_milli(), ram_mib=ram_mib())
    _print(found, output)


def _documents(flagged: list[str] | None, files: tuple[str, ...]) -> Iterator[Document]:
    named = (*(flagged or ()), *files)
    if not named:
        raise InputError("FILE is missing", place="bayplan inventory", next="name the inventory: -f FILE", code="usage")
    documents = documents_in(named, INVENTORY, no_inventory)
    first = next(documents, None)
    if first is None:
        step = "hand in what kubectl or the API of GPUStack printed"
        raise InputError("it is empty: there is no document in it", place=", ".join(named[:3]), next=step)
    return chain([first], documents)


def _print(found: Inventory, output: str) -> None:
    for warning in found.warnings:
        warn(warning)
    if not found.cluster.workers:
        warn("the inventory has no workers")
    if output in ("json", "yaml"):
        with collector_paused(is_large=True):
            emit(shortened(as_document(found)), output)
        return
    header = ("WORKER", "STATUS", "CARDS", "MODEL", "GiB PER CARD", "CPU CORES", "RAM GiB", "REGION", "ZONE", "RACK")
    rows = [_row(worker) for worker in found.cluster.workers]
    emit(None, output, Sheet(header, rows, wide=3, spare=(("CPU CORES",), ("RAM GiB",))))


def _row(worker: Worker) -> tuple[str, ...]:
    models = dict.fromkeys(gpu.model or "unknown" for gpu in worker.gpus)
    sizes = dict.fromkeys(gpu.memory_mib for gpu in worker.gpus)
    place = worker.topology
    return (
        worker.name,
        worker.status.value,
        str(len(worker.gpus)),
        ", ".join(models) or "-",
        ", ".join(map(gib, sizes)) or "-",
        cores(worker.cpu_milli),
        gib(worker.ram_mib),
        *(name or "-" for name in (place.region, place.zone, place.rack)),
    )

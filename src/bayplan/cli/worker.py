"""`bayplan worker`: this machine runs the Pods that are bound to it."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import re
import signal
import socket
import sys
from dataclasses import replace
from pathlib import Path  # noqa: TC003 (cyclopts reads the types of flags)
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import uvloop
from cyclopts import Parameter

from bayplan.cli.errors import warn
from bayplan.cli.main import DEBUG, INTERRUPTED
from bayplan.cli.server.data_folder import DataFolder, data_folder
from bayplan.cli.server.location import locate
from bayplan.cli.text import write
from bayplan.cluster.catalogue import nominal_mib
from bayplan.cluster.quantities import parse_memory_mib
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.native.cluster_writer import API_VERSION, KIND
from bayplan.manifests.reader import Document, read_file
from bayplan.runtimes.processes.backends import Backends
from bayplan.runtimes.processes.backends_file import read_backends
from bayplan.runtimes.processes.folder import WorkerFolder
from bayplan.runtimes.processes.machine_description import local_worker, node_of
from bayplan.runtimes.processes.machine_size import cpu_milli, ram_mib
from bayplan.runtimes.processes.replica_process import LogLimits
from bayplan.runtimes.processes.server_link import Address
from bayplan.runtimes.processes.worker import LOOPBACK, Worker, WorkerOptions
from bayplan.telemetry.log import log_to_stderr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.worker import Worker as Description

_GPUS = re.compile(r"(\d{1,4})x([^:]+)(?::(.+))?")
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")


def worker(
    *,
    name: Annotated[str | None, Parameter(help="Its name; the host name by default.")] = None,
    server: Annotated[
        str | None,
        Parameter(
            name=("--server", "--kubeconfig"),
            help="The server: its URL or a kubeconfig; $BAYPLAN_SERVER by default, then --data.",
        ),
    ] = None,
    data: DataFolder = None,
    work_dir: Annotated[
        Path | None, Parameter(help="The folder of its own, for logs and files of Pods; DATA/workers/NAME by default.")
    ] = None,
    cluster_file: Annotated[
        Path | None,
        Parameter(help="A Cluster file that describes it; the worker of its name there, or the only one."),
    ] = None,
    gpus: Annotated[
        str | None, Parameter(help="Cards to pretend instead of those of the driver: 4xA100-SXM4-80GB, 2xL4:24Gi.")
    ] = None,
    label: Annotated[
        list[str] | None, Parameter(help="A label of its Node, KEY=VALUE; may be repeated.", negative=())
    ] = None,
    backends: Annotated[Path | None, Parameter(help="A file of command templates for engines.")] = None,
    address: Annotated[str, Parameter(help="The address of this machine on which replicas listen.")] = LOOPBACK,
    heartbeat: Annotated[float, Parameter(help="Seconds between two heartbeats.")] = 10.0,
    log_size: Annotated[str, Parameter(help="How large a log may grow before it is rotated.")] = "10Mi",
    log_files: Annotated[int, Parameter(help="How many files of a log are kept.")] = 5,
    backoff: Annotated[float, Parameter(help="Seconds before a second restart; doubled up to five minutes.")] = 10.0,
) -> None:
    """Run the Pods that are bound to this machine as processes, until Ctrl-C.

    It prints a line `ready NAME` once its Node is registered and its Pods are known. Replicas end with it; the objects
    stay, and its next start starts them again.
    """
    known = _name(name)
    described = _description(cluster_file, gpus, known)
    templates, warnings = read_backends(backends) if backends else (Backends(), [])
    for each in warnings:
        warn(each)

    def address_of() -> Address:
        found = locate(server, data)
        return Address(found.url, found.authority, found.token)

    options = WorkerOptions(
        known,
        node_of(described, _labels(label or []), where := _address(address)),
        where,
        real_cards=gpus is None and cluster_file is None,
        backends=templates,
        heartbeat_s=_positive(heartbeat, "--heartbeat"),
        first_pause_s=_positive(backoff, "--backoff"),
        logs=LogLimits(_log_mib(log_size) * 2**20, max(1, log_files)),
    )
    _check_reachable(options, address_of())
    folder = WorkerFolder((work_dir or data_folder(data) / "workers" / known).absolute())

    log_to_stderr(debug=DEBUG in os.environ)

    def ready() -> None:
        write(f"ready {known}\n")
        sys.stdout.flush()

    async def run() -> None:
        stop = asyncio.Event()

        def asked() -> None:
            if stop.is_set():
                os._exit(INTERRUPTED)  # asked twice: supervisors end the replicas when they see that the worker is gone
            stop.set()

        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, asked)
        await Worker(options, folder, address_of).run(stop, ready)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())


def _name(given: str | None) -> str:
    name = given or socket.gethostname().lower()
    if not _NAME.fullmatch(name):
        following = "use lower case letters, digits, '-' and '.'"
        raise InputError(f"{name[:80]!r} is no name of a Node", place="--name", next=following)
    return name


def _address(given: str) -> str:
    following = "write the IP address under which others reach this machine, such as 10.0.0.7"
    try:
        address = ipaddress.ip_address(given)
    except ValueError:
        raise InputError(f"{given[:80]!r} is no address", place="--address", next=following) from None
    if address.is_unspecified or address.is_multicast:
        raise InputError(f"{given} is not the address of one machine", place="--address", next=following)
    return str(address)


def _check_reachable(options: WorkerOptions, server: Address) -> None:
    """Refuse a worker that a server on another machine could not call for logs."""
    host = urlsplit(server.url).hostname or ""
    if options.is_local and not _is_here(host):
        following = "write the address of this machine: --address 10.0.0.7"
        message = f"the server is called {host}, and cannot reach {options.address}"
        raise InputError(message, place="--address", next=following)


def _is_here(host: str) -> bool:
    try:
        found = {each[4][0] for each in socket.getaddrinfo(host, None)}
    except OSError:
        return True  # what is wrong with the name is told when it is called
    return all(ipaddress.ip_address(str(each).partition("%")[0]).is_loopback for each in found)


def _positive(given: float, flag: str) -> float:
    if not 0 < given < 86_400:
        raise InputError(f"{given:g} is no time that makes sense", place=flag, next="write seconds, such as 10")
    return given


def _log_mib(given: str) -> int:
    return max(1, parse_memory_mib(given, "--log-size", rounding="up"))


def _labels(given: list[str]) -> dict[str, str]:
    labels = {}
    for each in given:
        key, sign, value = each.partition("=")
        if not sign or not key:
            raise InputError(f"{each[:80]!r} is no label", place="--label", next="write KEY=VALUE")
        labels[key] = value
    return labels


def _description(file: Path | None, gpus: str | None, name: str) -> Description:
    """What the worker has: by a file, by a short text, or by the driver of this machine."""
    if file is None and gpus is None:
        return local_worker(name)
    if file is not None and gpus is not None:
        following = "give one of them"
        raise InputError("--gpus and --cluster-file both say what it has", place="--gpus", next=following, code="usage")
    if file is None:
        data = {"apiVersion": API_VERSION, "kind": KIND, "workers": [_pretended(gpus or "", name)]}
        found = read_inventory([Document(data, "--gpus")])
    else:
        found = read_inventory(read_file(file))
    for each in found.warnings:
        warn(each)
    return _chosen(found.cluster.workers, name, str(file))


def _pretended(gpus: str, name: str) -> dict[str, Any]:
    """A worker in a few letters: 4xA100-SXM4-80GB, or 4xL4:24Gi."""
    found = _GPUS.fullmatch(gpus)
    if found is None:
        following = "write COUNTxMODEL, such as 4xA100-SXM4-80GB, or COUNTxMODEL:MEMORY"
        raise InputError(f"{gpus[:80]!r} cannot be read", place="--gpus", next=following)
    memory = found[3] or nominal_mib(found[2])
    if memory is None:
        following = f"write it: --gpus {gpus}:24Gi"
        raise InputError(f"the memory of {found[2][:80]!r} is not known", place="--gpus", next=following)
    cards = {"count": int(found[1]), "model": found[2], "memory": memory}
    return {"name": name, "cpu": (cpu_milli() or 0) / 1000 or None, "ram": ram_mib(), "gpus": cards}


def _chosen(workers: Sequence[Description], name: str, place: str) -> Description:
    """The worker of that name, or the only one."""
    found = [each for each in workers if each.name == name] or (list(workers) if len(workers) == 1 else [])
    if not found:
        following = f"give it --name, one of {', '.join(each.name for each in workers[:5]) or 'none'}"
        raise InputError(f"it describes no worker {name!r}", place=place, next=following)
    return replace(found[0], name=name)

"""This machine as a worker: its cards as the driver tells them, or as a file describes them."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import bayplan
from bayplan.cluster.worker import Worker
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.described_node import node_document
from bayplan.manifests.inventory.local import read_local
from bayplan.manifests.inventory.nvml import nvml
from bayplan.runtimes.processes.machine_size import cpu_milli, ram_mib

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.store import Object

RUNTIME = "process"


def local_worker(name: str) -> Worker:
    """What the machine has; without a driver it is a worker without cards."""
    try:
        with nvml() as driver:
            return read_local(driver, name, cpu_milli=cpu_milli(), ram_mib=ram_mib()).cluster.workers[0]
    except InputError:
        return Worker(name, cpu_milli=cpu_milli(), ram_mib=ram_mib())


def node_of(worker: Worker, labels: Mapping[str, str], address: str) -> Object:
    """The Node that describes a worker, with labels of its user, and what `kubectl get nodes -o wide` shows."""
    node = node_document(replace(worker, utilization=None), RUNTIME)
    node["metadata"]["labels"] |= labels
    uname = os.uname()
    node["metadata"]["labels"] |= {"kubernetes.io/os": uname.sysname.lower(), "kubernetes.io/arch": uname.machine}
    node["status"].pop("conditions", None)  # the server says whether it is ready
    node["status"]["addresses"] = [
        {"type": "InternalIP", "address": address},
        {"type": "Hostname", "address": worker.name},
    ]
    node["status"]["nodeInfo"] = {
        "kernelVersion": uname.release,
        "osImage": uname.sysname,
        "operatingSystem": uname.sysname.lower(),
        "architecture": uname.machine,
        "kubeletVersion": f"bayplan-{bayplan.__version__}",
        "containerRuntimeVersion": f"process://{bayplan.__version__}",
    }
    return node

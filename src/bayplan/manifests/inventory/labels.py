"""The labels of a Kubernetes Node for its topology and its price model, as data: add a line for another one."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from bayplan.cluster.topology import NOWHERE, TopologyPath

if TYPE_CHECKING:
    from collections.abc import Mapping

REGION = ("bayplan.io/region", "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region")
ZONE = ("bayplan.io/zone", "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
BLOCK = (
    "bayplan.io/block",
    "topology.kubernetes.io/block",
    "cloud.google.com/gce-topology-block",
    "topology.k8s.aws/network-node-layer-2",
    "oci.oraclecloud.com/rdma.network_block_id",
    "cloud.provider.com/topology-block",
)
RACK = (
    "bayplan.io/rack",
    "topology.kubernetes.io/rack",
    "cloud.google.com/gce-topology-subblock",
    "topology.k8s.aws/network-node-layer-3",
    "oci.oraclecloud.com/rdma.local_block_id",
    "cloud.provider.com/topology-rack",
)
NVLINK_DOMAIN = ("bayplan.io/nvlink-domain", "nvidia.com/gpu.clique")
"""In order: the first label that a Node has counts. A clique is `CLUSTER.CLIQUE` of one NVLink fabric."""

SPOT = {
    "karpenter.sh/capacity-type": "spot",
    "eks.amazonaws.com/capacityType": "spot",
    "cloud.google.com/gke-spot": "true",
    "cloud.google.com/gke-preemptible": "true",
    "kubernetes.azure.com/scalesetpriority": "spot",
    "bayplan.io/spot": "true",
}
"""A Node is spot where one of these labels has this value, in upper or lower case."""

_LEVELS = (REGION, ZONE, BLOCK, RACK, NVLINK_DOMAIN)
_KEYS = tuple(key for keys in _LEVELS for key in keys)


def topology_of(labels: Mapping[str, str]) -> TopologyPath:
    """The topology of a Node; workers of one rack share one path object."""
    return _topology(tuple(map(labels.get, _KEYS)))


def is_spot(labels: Mapping[str, str]) -> bool:
    """Whether the Node is a spot machine, which the provider may take back."""
    return any(labels.get(key, "").casefold() == value for key, value in SPOT.items())


@lru_cache(maxsize=65536)
def _topology(values: tuple[str | None, ...]) -> TopologyPath:
    known = dict(zip(_KEYS, values, strict=True))
    names = [next((name for key in keys if (name := known[key])), None) for keys in _LEVELS]
    return TopologyPath(*names) if any(names) else NOWHERE

"""Where Nodes stand and how they are paid for."""

import pytest

from bayplan.cluster.topology import TopologyPath
from bayplan.manifests.inventory.labels import is_spot, topology_of

PLACES = {
    "nowhere":        ({"kubernetes.io/hostname": "a"}, TopologyPath()),
    "kubernetes":     (
        {"topology.kubernetes.io/region": "r", "topology.kubernetes.io/zone": "z"}, TopologyPath("r", "z")),
    "the old labels": ({"failure-domain.beta.kubernetes.io/zone": "z"}, TopologyPath(zone="z")),
    "ours go first":  ({"bayplan.io/zone": "b", "topology.kubernetes.io/zone": "z"}, TopologyPath(zone="b")),
    "empty is none":  ({"bayplan.io/zone": "", "topology.kubernetes.io/zone": "z"}, TopologyPath(zone="z")),
    "Google":         (
        {"cloud.google.com/gce-topology-block": "b", "cloud.google.com/gce-topology-subblock": "s"},
        TopologyPath(block="b", rack="s")),
    "AWS":            (
        {f"topology.k8s.aws/network-node-layer-{layer}": f"l{layer}" for layer in (1, 2, 3)},
        TopologyPath(block="l2", rack="l3")),
    "NVLink fabric":  ({"nvidia.com/gpu.clique": "7b.32766"}, TopologyPath(nvlink_domain="7b.32766")),
}  # fmt: skip


@pytest.mark.parametrize(("labels", "path"), PLACES.values(), ids=PLACES)
def test_topology(labels, path):
    assert topology_of(labels) == path


SPOT = {
    "nothing said":  ({}, False),
    "karpenter":     ({"karpenter.sh/capacity-type": "spot"}, True),
    "on demand":     ({"karpenter.sh/capacity-type": "on-demand"}, False),
    "EKS shouts":    ({"eks.amazonaws.com/capacityType": "SPOT"}, True),
    "GKE":           ({"cloud.google.com/gke-spot": "true"}, True),
    "GKE says no":   ({"cloud.google.com/gke-spot": "false"}, False),
}  # fmt: skip


@pytest.mark.parametrize(("labels", "spot"), SPOT.values(), ids=SPOT)
def test_spot(labels, spot):
    assert is_spot(labels) is spot

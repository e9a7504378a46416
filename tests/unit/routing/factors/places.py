"""Places of endpoints, and a cycle in which an endpoint decodes."""

from types import SimpleNamespace

from unit.routing.endpoint_tables import cycle

HOST, RACK = "kubernetes.io/hostname", "topology.kubernetes.io/rack"
ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"


def place(host, rack, zone, region):
    return {HOST: host, RACK: rack, ZONE: zone, REGION: region}


def decoded_on(labels):
    """A cycle in which the first run picked an endpoint with these labels; None: it picked none."""
    made = cycle()
    picked = () if labels is None else (SimpleNamespace(row=1),)
    table = SimpleNamespace(columns={"labels": [{}, labels]})
    made.results = {"decode": SimpleNamespace(picked=picked, table=table)}
    return made

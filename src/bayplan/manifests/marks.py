"""Labels and annotations by which Bayplan marks the Nodes and Pods of a running system."""

from __future__ import annotations

DEVICES = "bayplan.io/devices"
"""On a bound Pod: the cards that it holds, as a JSON list; for people and programs."""

BOOKING = "bayplan.io/booking"
"""On a bound Pod: all that it holds on its worker, as one booking of a Cluster file in JSON; the ledger reads this."""

RECORD = "bayplan.io/record"
"""On a bound Pod: the id of the record of the decision that placed it."""

EPOCH = "bayplan.io/epoch"
"""On a bound Pod: the number of the scheduler's term, which grows with every start."""

ENGINE_ARGS = "bayplan.io/engine-args"
"""On a bound Pod: the flags that its engine must be started with, as a JSON list of texts."""

BACKEND = "bayplan.io/backend"
"""On a Pod: which engine it runs (vllm, sglang, llama-cpp, or a name of the worker's own), where it has no command."""

MODEL = "bayplan.io/model"
"""On a Pod: the model that its engine serves, a path or a name."""

ENDPOINT = "bayplan.io/endpoint"
"""On a Pod that a worker started: the URL under which its first port is reached."""

ROLE = "bayplan.io/role"
"""Label of a Pod whose owner has members of several shapes: which of them it is."""

WORKLOAD = "bayplan.io/workload"
"""Label of a Pod that a pool, job or workload made: the name of that owner."""

REVISION = "bayplan.io/revision"
"""Label of such a Pod: a hash of what its owner asked of a replica when the Pod was made."""

SHARD = "bayplan.io/shard"
"""Label of a Pod that is a further part of a replica which spans workers: the name of the replica's first Pod."""

PREEMPTED_BY = "bayplan.io/preempted-by"
"""On a Pod that must go: NAMESPACE/NAME of the workload that takes its place."""

MOVING = "bayplan.io/moving"
"""On a Pod of a node that is drained: since when another replica is made that will take its place."""

REMOVED = "bayplan.io/removed"
"""On a Pod that its owner no longer wants: why this one and not another."""

WORKER = "bayplan.io/worker"
"""On a Node: the worker in JSON as a Cluster file has it; labels, taints and status are those of the Node itself."""

DECLARED = "bayplan.io/declared"
"""On a Node that was made from a Cluster: what the Cluster last said about it, so that only its changes are applied."""

WORKER_ID = "bayplan.io/worker-id"
"""On a Node: which installation of the worker it belongs to, so that a second worker cannot take its name."""

RUNTIME = "bayplan.io/runtime"
"""Label of a Node: what runs its Pods: `process`, `simulated`, or `none` where it is only declared."""

MIG_WANTED = "bayplan.io/mig-wanted"
"""On a Node: how idle cards are to be cut into MIG instances, as the `reconfigurations` of a plan in JSON."""

SERVER = "bayplan.io/server"
"""Label of the Pods and ServerReplicas of a Server: its name."""

DRAINED_FOR = "bayplan.io/drained-for"
"""On a ServerReplica that its Server drains: why; one that people drain has none, and stays drained."""

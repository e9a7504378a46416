"""Every metric that is exported. Names and labels are a promise to dashboards and alerts: added to, never renamed."""

from __future__ import annotations

from bayplan.cluster.rejections import REJECTION_CODES
from bayplan.control.observing import Demand, Phase, Result
from bayplan.telemetry.metrics.definition import POWERS, SLOW_S, Definition, counter, gauge, histogram

_RESULTS = tuple(("pack", result.value) for result in Result)
_CODES = tuple((each.code,) for each in REJECTION_CODES)
_MOST_GPUS = 100_000
"""Cards with a series of their own: 5,000 workers with 8 cards and as many again; about 9 MB a scrape."""

# The names that NeuroNetes promises

LATENCY = histogram(
    "neuronetes_scheduler_latency_seconds",
    "Time of one try to place a workload: taken from the queue, decided, and bound or refused.",
    ("profile", "result"),
    values=_RESULTS,
)
ATTEMPTS = counter(
    "neuronetes_scheduler_attempts_total", "Tries to place a workload.", ("profile",), values=(("pack",),)
)
SUCCESS = counter(
    "neuronetes_scheduler_success_total",
    "Tries that bound all Pods of a workload, or at least its minimum; labels as those of the attempts.",
    ("profile",),
    values=(("pack",),),
)
PENDING_PODS = gauge("neuronetes_scheduler_pending_pods", "Pods that wait for a place.", ("state",))
TOPOLOGY_VIOLATIONS = counter(
    "neuronetes_scheduler_topology_violations_total",
    "Pods placed against a preferred topology, and bound Pods that are seen to break a required one.",
    ("demand",),
    values=tuple((each.value,) for each in Demand),
)
GPU_UTILIZATION = gauge(
    "neuronetes_gpu_utilization_percent",
    "Use of a card as last measured, 0 to 100; cards without a measurement have no series.",
    ("node", "gpu", "model"),
    most_series=_MOST_GPUS,
)

# Decisions

DECISIONS = counter(
    "bayplan_decisions_total", "Tries to place a workload, by result.", ("profile", "result"), values=_RESULTS
)
PHASES = histogram(
    "bayplan_decision_phase_seconds",
    "Time of the phases of a try to place a workload.",
    ("phase",),
    values=tuple((each.value,) for each in Phase),
)
PLUGINS = histogram(
    "bayplan_plugin_duration_seconds", "Time of one call of a plugin, in sampled decisions.", ("kind", "plugin")
)
PLUGIN_FAULTS = counter("bayplan_plugin_faults_total", "Runs that left a broken plugin out.", ("plugin",))
CLAMPED = counter("bayplan_plugin_clamped_scores_total", "Scores outside 0 to 1, which were cut.", ("plugin",))
REFUSALS = counter("bayplan_refusals_total", "Tries that some worker refused with this code.", ("code",), values=_CODES)
REFUSED_WORKERS = counter(
    "bayplan_refused_workers_total", "Workers that refused in these tries, by code.", ("code",), values=_CODES
)
PENDING_TIME = histogram(
    "bayplan_pod_pending_seconds", "Age of the oldest Pod of a commit when it was bound.", buckets=SLOW_S
)
BINDS = counter("bayplan_pods_bound_total", "Pods that were bound to a worker.")
PREEMPTIONS = counter("bayplan_pods_preempted_total", "Pods that had to go for a workload of more weight.")
EVICTIONS = counter(
    "bayplan_pods_evicted_total",
    "Pods that were deleted because of their node.",
    ("reason",),
    values=(("node-lost",), ("drained",), ("taint",)),
)
REMOVALS = counter("bayplan_pods_removed_total", "Pods that were deleted because their owner wants fewer.")
RECONFIGURATIONS = counter("bayplan_gpu_reconfigurations_total", "Cards that were cut into other MIG instances.")

# The queue

QUEUE_WORKLOADS = gauge("bayplan_queue_workloads", "Workloads that wait for a place.", ("state",))
QUEUE_AGE = gauge("bayplan_queue_oldest_seconds", "How long the oldest of them has waited.", ("state",))

# The ledger

GPUS = gauge("bayplan_gpus", "Cards: wholly free, partly booked, full, or unavailable.", ("model", "state"))
GPU_MEMORY = gauge(
    "bayplan_gpu_memory_bytes",
    "Memory of cards: booked, used by foreign processes, kept back, free, or on cards that are unavailable.",
    ("model", "state"),
)
FRAGMENTATION = gauge(
    "bayplan_gpu_fragmentation_ratio",
    "Share of the free memory that lies on partly booked cards, where no request for a whole card can use it.",
    ("model",),
)
CPU = gauge("bayplan_cpu_cores", "CPU cores of workers whose number is known: booked or free.", ("state",))
RAM = gauge("bayplan_ram_bytes", "RAM of workers whose size is known: booked or free.", ("state",))
BOOKINGS = gauge("bayplan_bookings", "Bookings in the ledger.")

# Models on servers

SERVING_BOOKINGS = counter("bayplan_serving_bookings_total", "Replicas of models that were booked on a server replica.")
SERVING_ANSWERS = counter(
    "bayplan_serving_answers_total",
    "What servers answered to requests to load or unload a model.",
    ("answer",),
    values=(("loaded",), ("load-failed",), ("unloaded",), ("unload-failed",), ("lost",)),
)
SERVING_RETRIES = counter("bayplan_serving_retries_total", "Failed loads and unloads that were tried again.")
SERVING_LOST_RACES = counter("bayplan_serving_lost_races_total", "Decisions on models that another writer overtook.")
SERVED_MODELS = gauge("bayplan_serving_models", "Models by the state that their status tells.", ("state",))
SERVING_MEMORY = gauge("bayplan_serving_memory_bytes", "Memory of server replicas: booked, and in total.", ("state",))

# Nodes and Pods

NODES = gauge("bayplan_nodes", "Nodes by status.", ("status",), values=(("ready",), ("not-ready",), ("cordoned",)))
NODE_CHANGES = counter("bayplan_node_changes_total", "Changes of nodes that the loops took in.", ("change",))
HEARTBEATS = counter("bayplan_heartbeats_total", "Heartbeats of workers.")
PODS = gauge(
    "bayplan_pods",
    "Pods by phase.",
    ("phase",),
    values=(("Pending",), ("Running",), ("Succeeded",), ("Failed",), ("Unknown",)),
)
RESTARTS = counter("bayplan_replica_restarts_total", "Replicas that ended by themselves and were started again.")

# Loops

RECONCILES = histogram("bayplan_reconcile_duration_seconds", "Time a controller takes for one object.", ("loop",))
RECONCILE_FAILURES = counter(
    "bayplan_reconcile_failures_total", "Looks at an object that failed and are repeated.", ("loop",)
)
EVENTS_DROPPED = counter("bayplan_events_dropped_total", "Kubernetes Events that were not written: too many waited.")
LOOP_DELAY = histogram(
    "bayplan_event_loop_delay_seconds", "How much later than asked for the event loop wakes up; every half second."
)

# The store

COMMIT = histogram("bayplan_store_commit_duration_seconds", "Time of one commit, until it is on the disk.")
COMMIT_WAIT = histogram("bayplan_store_commit_wait_seconds", "How long the first write of a commit waited for it.")
COMMIT_WRITES = histogram("bayplan_store_commit_writes", "Objects that one commit wrote.", buckets=POWERS)
STORE_WRITES = counter("bayplan_store_writes_total", "Objects that were written.")
STORE_CONFLICTS = counter("bayplan_store_conflicts_total", "Writes that were refused: another one came first.")
STORE_FAILURES = counter("bayplan_store_failures_total", "Commits that failed, as on a full disk.")
COMPACTION = histogram("bayplan_store_compaction_duration_seconds", "Time it takes to forget old revisions.")
STORE_BYTES = gauge("bayplan_store_size_bytes", "Size of the database and its log on the disk.")
REVISION = gauge("bayplan_store_revision", "The latest revision; it grows by one with every change of an object.")

# The API

REQUEST_TIME = histogram(
    "bayplan_api_request_duration_seconds",
    "Time of a request until its answer is sent; watches and logs are not timed.",
    ("verb", "resource", "code"),
)
REQUESTS = counter("bayplan_api_requests_total", "Requests, watches among them.", ("verb", "resource", "code"))
IN_FLIGHT = gauge("bayplan_api_requests_in_flight", "Requests that are being answered, without watches.")
WATCHES = gauge("bayplan_api_watches", "Watches that clients have open.")

# The process and the metrics themselves

BUILD = gauge("bayplan_build_info", "Always 1; its labels say what runs.", ("version", "python"))
CPU_TIME = counter("process_cpu_seconds_total", "CPU time of the server's process.")
MEMORY = gauge("process_resident_memory_bytes", "Memory of the server's process.")
FILES = gauge("process_open_fds", "Files and connections that the server has open.")
START = gauge("process_start_time_seconds", "When the server was started, in seconds since 1970.")
SCRAPE_TIME = histogram("bayplan_metrics_scrape_duration_seconds", "Time it takes to write all metrics.")
SOURCE_ERRORS = counter("bayplan_metrics_errors_total", "Sources of metrics that failed at a scrape.", ("source",))
DROPPED_SERIES = counter(
    "bayplan_metrics_dropped_total", "Additions that were counted under `other`: too many series.", ("metric",)
)

GROUPS: dict[str, tuple[Definition, ...]] = {
    "Names of NeuroNetes": (LATENCY, ATTEMPTS, SUCCESS, PENDING_PODS, TOPOLOGY_VIOLATIONS, GPU_UTILIZATION),
    "Decisions": (
        DECISIONS, PHASES, PLUGINS, PLUGIN_FAULTS, CLAMPED, REFUSALS, REFUSED_WORKERS, PENDING_TIME, BINDS, PREEMPTIONS,
        EVICTIONS, REMOVALS, RECONFIGURATIONS,
    ),
    "Queue": (QUEUE_WORKLOADS, QUEUE_AGE),
    "Ledger": (GPUS, GPU_MEMORY, FRAGMENTATION, CPU, RAM, BOOKINGS),
    "Models on servers": (
        SERVING_BOOKINGS, SERVING_ANSWERS, SERVING_RETRIES, SERVING_LOST_RACES, SERVED_MODELS, SERVING_MEMORY,
    ),
    "Nodes and Pods": (NODES, NODE_CHANGES, HEARTBEATS, PODS, RESTARTS),
    "Loops": (RECONCILES, RECONCILE_FAILURES, EVENTS_DROPPED, LOOP_DELAY),
    "Store": (
        COMMIT, COMMIT_WAIT, COMMIT_WRITES, STORE_WRITES, STORE_CONFLICTS, STORE_FAILURES, COMPACTION, STORE_BYTES,
        REVISION,
    ),
    "API": (REQUEST_TIME, REQUESTS, IN_FLIGHT, WATCHES),
    "Process and metrics": (BUILD, CPU_TIME, MEMORY, FILES, START, SCRAPE_TIME, SOURCE_ERRORS, DROPPED_SERIES),
}  # fmt: skip
"""As the documentation shows them."""

ALL: tuple[Definition, ...] = tuple(each for group in GROUPS.values() for each in group)
"""In the order in which they are written."""

LABELS = {
    "answer": "what became of the request; `lost`: a loaded model could not be kept",
    "change": "what happened to a node",
    "code": "of a refusal the code of docs/rejections.md, of a request the HTTP status; 499: the client went away",
    "demand": "`preferred` or `required`",
    "gpu": "the card on its node, RUNTIME:INDEX",
    "kind": "filter, scorer or producer",
    "loop": "the controller",
    "metric": "the metric that has too many series",
    "model": "the product name of a card; `unknown` where it is not known",
    "node": "the name of a Node",
    "phase": "of a decision one of queue, read, plan, reserve, commit, record; of a Pod its phase",
    "plugin": "the plugin's name in the configuration",
    "profile": "the strategy that decided; empty where a workload could not be read",
    "python": "the version of Python",
    "reason": "why a node lost its Pods",
    "resource": "the kind of objects with its group and its subresource, or the path of another request",
    "result": "placed, partly, waiting, infeasible, lost-race or error",
    "source": "what was asked",
    "state": "of the queue: ready, waiting, partly, infeasible, blocked, error; of cards: free, partly, full, "
    "unavailable; of memory, CPU and RAM: booked, free, foreign, kept-back, unavailable, "
    "total; of models: the states of Seldon, such as ModelAvailable",
    "status": "ready, not-ready or cordoned",
    "verb": "as in Kubernetes: get, list, watch, create, update, patch, delete, deletecollection; else the HTTP method",
    "version": "the version of Bayplan",
}
"""What each label says."""

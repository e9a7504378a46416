"""Every metric of a data plane, with the names of llm-d's router where it has the same; added to, never renamed."""

from __future__ import annotations

from dataclasses import replace

from bayplan.telemetry.metrics import catalogue
from bayplan.telemetry.metrics.definition import Definition, counter, gauge, histogram

_SERIES = 1_000
"""Models and fairness ids are what clients say: this many series of a metric, then `other`."""
_ENDPOINTS = 2_000
_REQUEST = ("model_name", "target_model_name", "fairness_id", "priority")
_ENDPOINT = ("endpoint_name", "namespace")
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)
_TOKEN_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.5, 1.0, 5.0)
_DECISION_SECONDS = (0.00002, 0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
_BYTES = tuple(float(4**power) for power in range(3, 14))
_TOKENS = (1.0, *(float(4**power) for power in range(1, 11)))


def _request(about: Definition) -> Definition:
    return replace(about, most_series=_SERIES)


# Requests

REQUESTS = _request(counter("llm_d_epp_request_total", "Requests that were routed or refused.", _REQUEST))
ERRORS = _request(
    counter("llm_d_epp_request_error_total", "Requests that ended in an error.", (*_REQUEST, "error_code"))
)
DURATION = _request(
    histogram("llm_d_epp_request_duration_seconds", "Time from a request's last byte to its answer's.", _REQUEST,
              buckets=_SECONDS)
)  # fmt: skip
REQUEST_SIZE = _request(
    histogram("llm_d_epp_request_size_bytes", "Size of bodies of requests.", _REQUEST, buckets=_BYTES)
)
RESPONSE_SIZE = _request(
    histogram(
        "llm_d_epp_response_size_bytes", "Size of bodies of answers, with their framing.", _REQUEST, buckets=_BYTES
    )
)
INPUT_TOKENS = _request(
    histogram("llm_d_epp_request_input_tokens", "Prompt tokens as engines counted them.", _REQUEST, buckets=_TOKENS)
)
OUTPUT_TOKENS = _request(
    histogram("llm_d_epp_request_output_tokens", "Output tokens as engines counted them.", _REQUEST, buckets=_TOKENS)
)
CACHED_TOKENS = _request(
    histogram("llm_d_epp_request_cached_tokens", "Prompt tokens that engines had cached.", _REQUEST, buckets=_TOKENS)
)
RUNNING = _request(gauge("llm_d_epp_request_running", "Requests that are being answered.", _REQUEST))
TTFT = _request(
    histogram("llm_d_epp_request_ttft_seconds", "Time from a request's last byte to the first of its answer's body.",
              (*_REQUEST, "streaming"), buckets=_SECONDS)
)  # fmt: skip
NTPOT = _request(
    histogram("llm_d_epp_request_ntpot_seconds", "Time of a request divided by its output tokens.", _REQUEST,
              buckets=_TOKEN_SECONDS)
)  # fmt: skip
TPOT = _request(
    histogram("llm_d_epp_request_streaming_tpot_seconds", "Time between output tokens of streams, mean of each stream.",
              _REQUEST, buckets=_TOKEN_SECONDS)
)  # fmt: skip
SLO_VIOLATIONS = _request(
    counter(
        "llm_d_epp_request_slo_violation_total", "Requests that missed a goal of their headers.", (*_REQUEST, "type")
    )
)

# The pool

READY = gauge("llm_d_epp_ready_endpoints", "Endpoints that may be picked.")
MEAN_KV = gauge("llm_d_epp_average_kv_cache_utilization", "Mean KV cache usage of endpoints that report it, 0 to 1.")
MEAN_QUEUE = gauge("llm_d_epp_average_queue_size", "Mean of requests that wait in endpoints which report it.")
MEAN_RUNNING = gauge("llm_d_epp_average_running_requests", "Mean of requests that run in endpoints which report it.")
SPREAD_KV = gauge("llm_d_epp_std_dev_kv_cache_utilization", "Standard deviation of KV cache usage.")
SPREAD_QUEUE = gauge("llm_d_epp_std_dev_queue_size", "Standard deviation of requests that wait in endpoints.")
SPREAD_RUNNING = gauge("llm_d_epp_std_dev_running_requests", "Standard deviation of requests that run in endpoints.")
QUEUE = gauge(
    "llm_d_epp_per_endpoint_queue_size", "Requests that wait in an endpoint, as it reports.", _ENDPOINT,
    most_series=_ENDPOINTS,
)  # fmt: skip
INFLIGHT_REQUESTS = gauge(
    "llm_d_epp_inflight_requests", "Requests that were sent to an endpoint and have not ended.", _ENDPOINT,
    most_series=_ENDPOINTS,
)  # fmt: skip
INFLIGHT_TOKENS = gauge(
    "llm_d_epp_inflight_tokens", "Uncached prompt tokens of requests without a first token.", _ENDPOINT,
    most_series=_ENDPOINTS,
)  # fmt: skip

# Decisions

DECISION_TIME = histogram(
    "llm_d_epp_scheduler_e2e_duration_seconds", "Time of reading a request and deciding about it.",
    buckets=_DECISION_SECONDS,
)  # fmt: skip
ATTEMPTS = replace(
    counter("llm_d_epp_scheduler_attempts_total", "Decisions by what they picked.",
            ("status", "target_model_name", "endpoint_name", "namespace", "port")),
    most_series=_ENDPOINTS,
)  # fmt: skip
REWRITES = _request(
    counter("llm_d_epp_model_rewrite_decisions_total", "Requests whose model was rewritten.",
            ("model_name", "target_model_name"))
)  # fmt: skip
INFO = gauge("llm_d_epp_info", "Always 1; its label says what runs.", ("version",))
WAITING = gauge("llm_d_epp_flow_control_queue_size", "Requests that the router holds.")
WAITING_TIME = histogram(
    "llm_d_epp_flow_control_request_queue_duration_seconds", "How long requests were held.", ("outcome",),
    buckets=_SECONDS,
)  # fmt: skip
FLOW_OUTCOMES = counter(
    "llm_d_epp_flow_control_requests_total", "Requests that were held, by what became of them.", ("outcome",)
)

# The relay itself

CONNECTIONS = gauge("bayplan_relay_connections", "Connections of clients.")
ENGINE_CONNECTIONS = gauge("bayplan_relay_engine_connections", "Connections to engines.", ("state",),
                           values=(("used",), ("unused",)))  # fmt: skip
ENDINGS = counter("bayplan_relay_endings_total", "Requests by how they ended.", ("ending",))
FAULTS = counter(
    "bayplan_relay_engine_faults_total", "Failures of engines before the first byte of an answer was passed on.",
    ("endpoint_name", "fault"),
)  # fmt: skip
REFUSALS = counter(
    "bayplan_relay_refusals_total", "Requests that were refused before they were read whole.", ("status",)
)
SLOW_CLIENTS = counter("bayplan_relay_slow_clients_total", "Clients that were cut off because they did not read.")
BODIES = gauge("bayplan_relay_bodies_bytes", "Bodies of requests that are kept in memory.")
RECORDS = gauge("bayplan_relay_decision_records", "Decisions that are kept to be looked at.")

# Models by name

_INFER = ("model", "model_internal", "server", "server_replica", "method_type", "code")
MODEL_INFERS = replace(
    counter("seldon_model_infer_total", "Requests that a server replica answered for a model.", _INFER),
    most_series=_ENDPOINTS,
)
MODEL_INFER_TIME = replace(
    counter("seldon_model_infer_seconds_total", "Time of these requests, waiting for a replica included.", _INFER),
    most_series=_ENDPOINTS,
)
MODEL_REFUSALS = replace(
    counter("bayplan_model_refusals_total", "Requests to a model that no server replica answered.",
            ("model", "status")),
    most_series=_ENDPOINTS,
)  # fmt: skip
MODEL_FAULTS = replace(
    counter("bayplan_model_faults_total", "Failures of server replicas after which another one was tried.",
            ("model", "server_replica", "fault")),
    most_series=_ENDPOINTS,
)  # fmt: skip
MODEL_RUNNING = gauge("bayplan_model_requests_running", "Requests that server replicas have, by model.", ("model",),
                      most_series=_ENDPOINTS)  # fmt: skip
MODEL_WAITING = gauge("bayplan_model_requests_waiting", "Requests that wait for a model to be loaded.", ("model",),
                      most_series=_ENDPOINTS)  # fmt: skip

# The picker of a gateway

STREAMS = gauge("llm_d_epp_extproc_streams_inflight", "Requests of gateways whose streams are open.")
GATEWAYS = gauge("bayplan_picker_connections", "Connections of gateways and of probes.")
PICKER_BODIES = gauge("bayplan_picker_bodies_bytes", "Bodies of requests that the picker keeps in memory.")

GROUPS: dict[str, tuple[Definition, ...]] = {
    "Requests": (
        REQUESTS, ERRORS, DURATION, REQUEST_SIZE, RESPONSE_SIZE, INPUT_TOKENS, OUTPUT_TOKENS, CACHED_TOKENS, RUNNING,
        TTFT, NTPOT, TPOT, SLO_VIOLATIONS,
    ),
    "Pool": (
        READY, MEAN_KV, MEAN_QUEUE, MEAN_RUNNING, SPREAD_KV, SPREAD_QUEUE, SPREAD_RUNNING, QUEUE, INFLIGHT_REQUESTS,
        INFLIGHT_TOKENS,
    ),
    "Decisions": (DECISION_TIME, ATTEMPTS, REWRITES, INFO, WAITING, WAITING_TIME, FLOW_OUTCOMES),
    "Relay": (CONNECTIONS, ENGINE_CONNECTIONS, ENDINGS, FAULTS, REFUSALS, SLOW_CLIENTS, BODIES, RECORDS),
    "Models": (MODEL_INFERS, MODEL_INFER_TIME, MODEL_REFUSALS, MODEL_FAULTS, MODEL_RUNNING, MODEL_WAITING),
    "Picker": (STREAMS, GATEWAYS, PICKER_BODIES),
}  # fmt: skip
"""As the documentation shows them."""

_PROCESS = (
    catalogue.BUILD, catalogue.CPU_TIME, catalogue.MEMORY, catalogue.FILES, catalogue.START, catalogue.LOOP_DELAY,
    catalogue.SOURCE_ERRORS, catalogue.DROPPED_SERIES,
)  # fmt: skip

OWN: tuple[Definition, ...] = tuple(each for group in GROUPS.values() for each in group)
"""Those that no other process has."""

ALL: tuple[Definition, ...] = (*OWN, *_PROCESS)
"""What a data plane that runs by itself exports, in the order in which they are written."""

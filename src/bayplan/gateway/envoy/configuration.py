"""The configuration of Envoy: one listener, the picker as a filter, and the endpoints from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bayplan.gateway.envoy.settings import Mode
from bayplan.gateway.ext_proc.names import (
    FIRST_TOKEN,
    LB_NAMESPACE,
    OWN_NAMESPACE,
    REQUEST_HEADER,
    REQUEST_KEY,
    SERVED_KEY,
    SUBSET_NAMESPACE,
)
from bayplan.routing.answer import DESTINATION_HEADER

if TYPE_CHECKING:
    from bayplan.gateway.envoy.run_folder import RunFolder
    from bayplan.gateway.envoy.settings import EnvoySettings

ENDPOINTS: Final = "endpoints"
"""The cluster of the endpoints, and its name in the file of endpoints."""
PICKER: Final = "picker"
LISTENER: Final = "gateway"

_TYPES: Final = "type.googleapis.com/envoy"
_NO_LIMIT: Final = 1_000_000  # Envoy's own limits of 1,024 would refuse requests that only wait
_KEEP_ALIVE_S: Final = 4  # below the 5 s after which uvicorn, and so vLLM, closes an unused connection
_WINDOW_BYTES: Final = 1024 * 1024

_HIDDEN: Final = "NONE"  # answers do not pass the picker

_NOTE: Final = f"""
function envoy_on_response(handle)
  local note = handle:streamInfo():dynamicMetadata():get("{OWN_NAMESPACE}")
  if note == nil then return end
  for piece in handle:bodyChunks() do
    if piece:length() > 0 then
      local headers = {{
        [":method"] = "POST", [":path"] = "{FIRST_TOKEN}", [":authority"] = "{PICKER}",
        ["{REQUEST_HEADER}"] = note["{REQUEST_KEY}"],
      }}
      handle:httpCall("{PICKER}", headers, "", 1000, true)
      return
    end
  end
end
"""


def configuration(settings: EnvoySettings, folder: RunFolder) -> dict[str, Any]:
    """The whole bootstrap, as JSON that Envoy reads."""
    return {
        "node": {"id": "bayplan", "cluster": "bayplan"},
        "admin": {"address": {"pipe": {"path": str(folder.admin), "mode": 0o600}}},
        "static_resources": {
            "listeners": [_listener(settings)],
            "clusters": [_endpoints(settings, folder), _picker(folder)],
        },
    }


def _listener(settings: EnvoySettings) -> dict[str, Any]:
    chain: dict[str, Any] = {"filters": [_named("envoy.filters.network.http_connection_manager", _manager(settings))]}
    if settings.certificate is not None:
        chain["transport_socket"] = _named("envoy.transport_sockets.tls", _tls(settings))
    return {
        "name": LISTENER,
        "address": {"socket_address": {"address": settings.host, "port_value": settings.port}},
        "filter_chains": [chain],
    }


def _tls(settings: EnvoySettings) -> dict[str, Any]:
    return {
        "@type": f"{_TYPES}.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
        "common_tls_context": {
            "alpn_protocols": ["h2", "http/1.1"],
            "tls_certificates": [
                {
                    "certificate_chain": {"filename": str(settings.certificate)},
                    "private_key": {"filename": str(settings.key)},
                }
            ],
        },
    }


def _manager(settings: EnvoySettings) -> dict[str, Any]:
    route = {
        "cluster": ENDPOINTS,
        "timeout": "0s",  # an answer may take minutes; silence is what ends it
        "idle_timeout": f"{settings.idle_s}s",
        "retry_policy": {
            "retry_on": "connect-failure,refused-stream,reset",
            "num_retries": settings.retries,
            "retry_host_predicate": [
                _named(
                    "envoy.retry_host_predicates.previous_hosts",
                    {"@type": f"{_TYPES}.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate"},
                )
            ],
            "host_selection_retry_max_attempts": 5,
        },
    }
    return {
        "@type": f"{_TYPES}.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": LISTENER,
        "codec_type": "AUTO",
        "stream_idle_timeout": f"{settings.idle_s}s",
        "normalize_path": True,
        "merge_slashes": True,
        "common_http_protocol_options": {"headers_with_underscores_action": "ALLOW"},
        "route_config": {
            "name": LISTENER,
            "virtual_hosts": [
                {
                    "name": LISTENER,
                    "domains": ["*"],
                    "routes": [{"match": {"prefix": "/"}, "route": route}],
                    "request_body_buffer_limit": settings.body_bytes,
                }
            ],
        },
        "http_filters": _filters(settings),
    }


def _filters(settings: EnvoySettings) -> list[dict[str, Any]]:
    """A picker that gets to see answers notices their first bytes itself."""
    filters = [
        _named("envoy.filters.http.ext_proc", _processor(settings)),
        _named("envoy.filters.http.router", {"@type": f"{_TYPES}.extensions.filters.http.router.v3.Router"}),
    ]
    if _answer_mode(settings) == _HIDDEN:
        filters.insert(0, _named("envoy.filters.http.lua", _first_token_note()))
    return filters


def _first_token_note() -> dict[str, Any]:
    """Tell the picker when the first bytes of a stream come: once, where sending it each piece would cost far more."""
    return {
        "@type": f"{_TYPES}.extensions.filters.http.lua.v3.Lua",
        "default_source_code": {"inline_string": _NOTE},
    }


def _processor(settings: EnvoySettings) -> dict[str, Any]:
    """The filter that asks the picker, and goes on without it where it does not answer."""
    return {
        "@type": f"{_TYPES}.extensions.filters.http.ext_proc.v3.ExternalProcessor",
        "grpc_service": {"envoy_grpc": {"cluster_name": PICKER}},
        "failure_mode_allow": True,
        "processing_mode": _modes(settings),
        "send_body_without_waiting_for_header_response": settings.mode is Mode.STREAMED,
        "message_timeout": f"{settings.decision_s}s",
        "max_message_timeout": f"{settings.hold_s}s",
        "route_cache_action": "RETAIN",
        "metadata_options": {
            "receiving_namespaces": {"untyped": [LB_NAMESPACE, OWN_NAMESPACE]},
            "forwarding_namespaces": {"untyped": [LB_NAMESPACE, SUBSET_NAMESPACE]},
        },
    }


def _modes(settings: EnvoySettings) -> dict[str, Any]:
    """What the picker gets to see.

    Trailers are sent, too: those of a request end its body. And while those of an answer may come, the stream stays
    open, so that the picker sees its end.
    """
    body = {
        Mode.STREAMED: "STREAMED",
        Mode.BUFFERED: "BUFFERED",
        Mode.FULL_DUPLEX: "FULL_DUPLEX_STREAMED",
    }[settings.mode]
    return {
        "request_header_mode": "SEND",
        "request_body_mode": body,
        "request_trailer_mode": "SEND",
        "response_header_mode": "SEND",
        "response_body_mode": _answer_mode(settings),
        "response_trailer_mode": "SEND",
    }


def _answer_mode(settings: EnvoySettings) -> str:
    if settings.mode is Mode.FULL_DUPLEX:
        return "FULL_DUPLEX_STREAMED"
    return "STREAMED" if settings.sees_answers else _HIDDEN


def _endpoints(settings: EnvoySettings, folder: RunFolder) -> dict[str, Any]:
    """Engines: the one that the picker names, and in turn where it names none."""
    policy = {
        "@type": f"{_TYPES}.extensions.load_balancing_policies.override_host.v3.OverrideHost",
        "override_host_sources": [{"metadata": _metadata(DESTINATION_HEADER)}],
        "selected_host_key": _metadata(SERVED_KEY),
        "fallback_policy": _policy(
            "round_robin", {"@type": f"{_TYPES}.extensions.load_balancing_policies.round_robin.v3.RoundRobin"}
        ),
    }
    return {
        "name": ENDPOINTS,
        "type": "EDS",
        "connect_timeout": f"{settings.connect_s}s",
        "eds_cluster_config": {
            "eds_config": {
                "resource_api_version": "V3",
                "path_config_source": {
                    "path": str(folder.endpoints),
                    "watched_directory": {"path": str(folder.endpoints.parent)},
                },
            }
        },
        "load_balancing_policy": _policy("override_host", policy),
        "circuit_breakers": _unlimited(),
        "typed_extension_protocol_options": _protocol(
            {"http_protocol_options": {}}, {"idle_timeout": f"{_KEEP_ALIVE_S}s"}
        ),
    }


def _picker(folder: RunFolder) -> dict[str, Any]:
    return {
        "name": PICKER,
        "type": "STATIC",
        "connect_timeout": "0.5s",
        "circuit_breakers": _unlimited(),
        "typed_extension_protocol_options": _protocol(
            {
                "http2_protocol_options": {
                    "initial_stream_window_size": _WINDOW_BYTES,
                    "initial_connection_window_size": 16 * _WINDOW_BYTES,
                }
            }
        ),
        "load_assignment": {
            "cluster_name": PICKER,
            "endpoints": [{"lb_endpoints": [{"endpoint": {"address": {"pipe": {"path": str(folder.picker)}}}}]}],
        },
    }


def _protocol(explicit: dict[str, Any], common: dict[str, Any] | None = None) -> dict[str, Any]:
    name = "extensions.upstreams.http.v3.HttpProtocolOptions"
    options: dict[str, Any] = {"@type": f"{_TYPES}.{name}", "explicit_http_config": explicit}
    if common is not None:
        options["common_http_protocol_options"] = common
    return {f"envoy.{name}": options}


def _unlimited() -> dict[str, Any]:
    limits = ("max_connections", "max_pending_requests", "max_requests", "max_retries")
    return {"thresholds": [dict.fromkeys(limits, _NO_LIMIT)]}


def _policy(name: str, config: dict[str, Any]) -> dict[str, Any]:
    return {"policies": [{"typed_extension_config": _named(f"envoy.load_balancing_policies.{name}", config)}]}


def _metadata(key: str) -> dict[str, Any]:
    return {"key": LB_NAMESPACE, "path": [{"key": key}]}


def _named(name: str, config: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "typed_config": config}

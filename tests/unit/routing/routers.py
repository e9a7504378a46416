"""Builders of routers: endpoints, requests and configurations that say only what matters."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bayplan.framework.registry import Registry
from bayplan.routing.config.builtins import builtins
from bayplan.routing.config.reader import read_routing_config
from bayplan.routing.endpoints.endpoint import CachedPrompt, Endpoint, KnownState
from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.routing.router import Router

if TYPE_CHECKING:
    from bayplan.routing.config.routing_config import RoutingConfig
    from bayplan.routing.requests.routed_request import RoutedRequest

_REGISTRY = Registry(builtins())


def endpoint(
    name: str,
    number: int = 1,
    *,
    inflight: tuple[int, int] = (0, 0),
    age_s: float | None = None,
    cached: tuple[tuple[int, ...], ...] = (),
    labels: dict[str, str] | None = None,
    ready: bool = True,
    **metrics: Any,
) -> Endpoint:
    """An endpoint at 10.0.0.NUMBER with these metrics."""
    known = KnownState(
        EngineMetrics(**metrics),
        age_s,
        *inflight,
        cached=tuple(CachedPrompt("m", ids) for ids in cached),
    )
    return Endpoint(name, f"10.0.0.{number}", labels=labels or {}, ready=ready, known=known)


def config(
    *plugins: Any, profiles: dict[str, list[Any]] | None = None, flow: dict[str, Any] | None = None, **more: Any
) -> RoutingConfig:
    """A configuration of these plugins: types, or pairs of type and parameters. `flow` opens the gate."""
    listed = [{"type": p} if isinstance(p, str) else {"type": p[0], "parameters": p[1]} for p in plugins]
    document: dict[str, Any] = {"kind": "EndpointPickerConfig", "apiVersion": "llm-d.ai/v1alpha1", "plugins": listed}
    if profiles is not None:
        document["schedulingProfiles"] = [
            {"name": name, "plugins": [{"pluginRef": each} for each in entries]} for name, entries in profiles.items()
        ]
    if flow is not None:
        document |= {"featureGates": ["flowControl"], "flowControl": flow}
    return read_routing_config(document | more, _REGISTRY)


def native(**fields: Any) -> RoutingConfig:
    """A configuration in our own form."""
    head = {"kind": "SchedulerConfig", "apiVersion": "bayplan.io/v1alpha1", "scheduler": "routing"}
    return read_routing_config({**head, **fields}, _REGISTRY)


def router(of: RoutingConfig | None = None, *endpoints: Endpoint, seed: int = 0) -> Router:
    """A router that knows these endpoints at time 0."""
    made = Router(of, seed=seed)
    for each in endpoints:
        made.endpoint_up(each, 0.0)
    return made


def request(
    of: Router, id_: str, prompt: Any = "hello world", *, at: float = 0.0, headers: Any = None, **fields: Any
) -> RoutedRequest:
    """A request for completions; `fields` are set on it."""
    body = json.dumps({"model": "m", "prompt": prompt}).encode()
    made: Any = of.parse(id_, "/v1/completions", headers or {}, body, at, subset=fields.pop("subset", None))
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def arrive(of: Router, id_: str, prompt: Any = "hello world", *, at: float = 0.0, **fields: Any) -> list[Any]:
    """The answers to a request that arrives, each as its id, its status and where it goes, or why not."""
    return told(of.arrive(request(of, id_, prompt, at=at, **fields), at))


def told(answers: list[Any]) -> list[Any]:
    """Each answer as (id, endpoint) or (id, status, reason)."""
    return [
        (each.request.id, each.picked[0].name) if each.ok else (each.request.id, each.status, each.reason)
        for each in answers
    ]

"""The Endpoints document: endpoints with what is known of them, objectives and rewrites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.manifests.fields import Fields, Findings, raise_all
from bayplan.manifests.routing.inference import port
from bayplan.manifests.routing.objective_rules import read_objective, read_rewrite
from bayplan.manifests.routing.prompt_tokens import token_ids
from bayplan.manifests.values import count, flag, name, number, rate, text, what, word_of
from bayplan.routing.endpoints.endpoint import ROLE_LABEL, CachedPrompt, Endpoint, KnownState
from bayplan.routing.endpoints.engine_metrics import EngineMetrics

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.manifests.reader import Document
    from bayplan.routing.requests.rewrite import Rewrite

DEFAULT_PORT = 8000
MEDIA = ("gpu", "cpu")
_NUMBERS = {
    "waiting": ("waiting", number),
    "running": ("running", number),
    "kvCacheUsage": ("kv_usage", rate),
    "cacheBlockSize": ("block_size", count),
    "cacheBlocks": ("blocks", count),
    "kvTokenCapacity": ("kv_token_capacity", count),
}


@dataclass(frozen=True, slots=True)
class EndpointsFile:
    """What a router is told of its pool."""

    endpoints: tuple[Endpoint, ...]
    objectives: dict[str, int]
    rewrites: tuple[Rewrite, ...]
    warnings: tuple[str, ...] = ()


def read_endpoints(documents: Iterable[Document]) -> EndpointsFile:
    """The pool; besides Endpoints there may be InferenceObjective and InferenceModelRewrite documents."""
    endpoints: list[Endpoint] = []
    objectives: dict[str, int] = {}
    rewrites: list[Rewrite] = []
    errors: list[InputError] = []
    warnings: list[str] = []
    taken: set[str] = set()
    for document in documents:
        findings = Findings(document)
        fields = Fields(document.data, findings)
        kind = fields.raw("kind")
        if kind == "InferenceObjective":
            objectives.update([read_objective(fields)])
        elif kind == "InferenceModelRewrite":
            rewrites.append(read_rewrite(fields))
        else:
            fields.ignore("apiVersion", "metadata")
            endpoints += _endpoints(fields, taken)
            objectives.update(read_objective(each) for each in fields.children("objectives"))
            rewrites += (read_rewrite(each) for each in fields.children("rewrites"))
            fields.finish()
        errors += findings.errors
        warnings += findings.warnings
    raise_all(errors)
    return EndpointsFile(tuple(endpoints), objectives, tuple(rewrites), tuple(warnings))


def read_endpoint(fields: Fields) -> list[Endpoint]:
    """One entry: an endpoint, or one for each of its `ports`. Problems are among the findings."""
    own_name, ip = fields.need("name", name, "?"), fields.need("address", name, "?")
    labels = dict(fields.labels("labels"))
    role = fields.read("role", text)
    if role is not None:
        labels[ROLE_LABEL] = role
    ports = fields.each("ports", port)
    known = _known(fields)
    shared: dict[str, Any] = {
        "namespace": fields.read("namespace", name, "default"),
        "ready": fields.read("ready", flag, default=True),
    }
    single = fields.read("port", port, DEFAULT_PORT)
    fields.finish()
    if not ports:
        return [Endpoint(own_name, ip, single, labels=labels, known=known, **shared)]
    return [
        Endpoint(f"{own_name}-rank-{rank}", ip, each, labels=labels, known=known, **shared)
        for rank, each in enumerate(ports)
    ]


def read_metric_fields(fields: Fields) -> dict[str, Any]:
    """The metrics that a mapping gives, by their names in `EngineMetrics`."""
    found = {own: fields.read(key, parse) for key, (own, parse) in _NUMBERS.items() if key in fields}
    fields.ignore(*_NUMBERS)
    return found


def _endpoints(fields: Fields, taken: set[str]) -> list[Endpoint]:
    found: list[Endpoint] = []
    for place, entry in enumerate(fields.children("endpoints")):
        for endpoint in read_endpoint(entry):
            if endpoint.name in taken and not entry.broken("name"):
                step = "give each endpoint a name of its own"
                fields.add(f"{endpoint.name!r} is the name of two endpoints", "endpoints", place, "name", next=step)
            taken.add(endpoint.name)
            found.append(endpoint)
    return found


def _known(fields: Fields) -> KnownState:
    metrics, loras, inflight = fields.child("metrics"), fields.child("loras"), fields.child("inflight")
    predicted = fields.child("predicted")
    known = KnownState(
        metrics=EngineMetrics(
            **read_metric_fields(metrics),
            lora_active=frozenset(loras.each("active", text)),
            lora_waiting=frozenset(loras.each("waiting", text)),
            lora_max=loras.read("max", count, 0),
            attributes=fields.mapping("attributes", _any_number),
        ),
        metrics_age_s=metrics.read("ageSeconds", number),
        inflight_requests=inflight.read("requests", count, 0),
        inflight_tokens=inflight.read("tokens", count, 0),
        cached=tuple(_cached(each) for each in fields.children("cached")),
        encoder_cache=fields.each("encoderCache", text),
        predicted_ttft_ms=predicted.read("ttftMs", number),
        predicted_tpot_ms=predicted.read("tpotMs", number),
    )
    for part in (metrics, loras, inflight, predicted):
        part.finish()
    return known


def _cached(fields: Fields) -> CachedPrompt:
    model, ids = fields.need("model", text, ""), fields.read("tokens", token_ids)
    prompt = fields.read("prompt", text, "")
    medium = fields.read("medium", word_of(MEDIA), "gpu")
    fields.finish()
    return CachedPrompt(model, ids, prompt.encode(), medium)


def _any_number(value: object) -> float:
    """Attributes are whatever somebody measures: any finite number."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf"):
        return value
    raise InputError(f"{what(value)} is no number", next="write a number")

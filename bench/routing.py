"""What a routing decision costs, through the router that gateways use; with `--data` also how good decisions are."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import orjson
from prometheus_client.parser import text_string_to_metric_families

from bayplan.framework.registry import Registry
from bayplan.routing.config.builtins import builtins
from bayplan.routing.config.reader import read_routing_config
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.routing.exposition.engine import engine_named
from bayplan.routing.exposition.reading import read_metrics
from bayplan.routing.router import Router
from bayplan.sim.engine.batching.simulated_engine import Limits, SimulatedEngine
from bayplan.sim.engine.batching.timing import PROFILES
from bayplan.sim.engine.metrics import Metrics
from bench import routing_peer, routing_replay, scraping
from bench.measure import Row, interleaved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from bayplan.routing.requests.routed_request import RoutedRequest
    from bench.measure import Work

ENDPOINTS = 16
REQUESTS = 1_000
ROUNDS = 7
IN_FLIGHT = 16
PATH, IDS_PATH = "/v1/chat/completions", "/v1/completions"
MODEL = "llama"
SHORT_BYTES, PAGE_BYTES, LONG_BYTES = 400, 16_000, 400_000
LONG_IDS = 100_000

DECISION_GOAL_US = 30
PAGE_GOAL_US = 100
LONG_GOAL_US = 600
BURST, BURST_ENDPOINTS, BURST_GOAL = 100, 8, 15
DISPATCHES_GOAL_PER_S = 20_000

FILTERS: dict[str, dict[str, Any]] = {
    "decode-filter": {},
    "by-label": {"label": "tier", "validValues": ["gold", "silver"]},
    "utilization-filter": {
        "conditions": [
            {"metric": "waiting-queue", "maxValue": routing_peer.MOST_WAITING},
            {"metric": "kv-cache-utilization", "maxValue": routing_peer.MOST_USAGE},
        ]
    },
}


def rows(say: Callable[[str], None], data: Path | None) -> Iterator[Row]:
    """Costs of single steps; then, with a folder of traces, the replay."""
    yield _decision()
    yield from _whole_decisions()
    yield from _bursts()
    yield _dispatches()
    yield _scrape()
    yield from scraping.rows(say)
    if data is None:
        say("routing: give DATA=../shared/data/traces to replay traces; without it only costs are measured")
        return
    yield from routing_replay.rows(say, data)


def config(scorers: dict[str, float], filters: dict[str, dict[str, Any]], **more: Any) -> dict[str, Any]:
    """An EndpointPickerConfig with one profile."""
    plugins = [{"type": name, "parameters": parameters} for name, parameters in filters.items()]
    entries = [{"pluginRef": name, "weight": weight} for name, weight in scorers.items()]
    return {
        "apiVersion": "llm-d.ai/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": [*plugins, *({"type": name} for name in scorers)],
        "schedulingProfiles": [{"name": "default", "plugins": [*({"pluginRef": name} for name in filters), *entries]}],
        **more,
    }


def router(document: dict[str, Any] | None, endpoints: int = ENDPOINTS) -> Router:
    """A router over endpoints that all have metrics, of which one in five or so is refused by a label."""
    made = Router(None if document is None else read_routing_config(document, Registry(builtins())))
    for number, each in enumerate(routing_peer.endpoints(endpoints)):
        name = f"engine-{number}"
        made.endpoint_up(Endpoint(name, f"10.0.0.{number}", labels={"tier": each.tier}), 0.0)
        made.report(
            name,
            EngineMetrics(each.waiting, each.running, each.usage, 16, 8192, lora_active=each.adapters, lora_max=4),
            0.0,
        )
    return made


def bodies(count: int, size: int) -> list[bytes]:
    """Chat requests of about this many bytes; no two begin alike."""
    words = "word " * (size // 5)
    return [
        orjson.dumps({"model": MODEL, "stream": True, "messages": [{"role": "user", "content": f"{number} {words}"}]})
        for number in range(count)
    ]


def id_bodies(count: int) -> list[bytes]:
    """Requests with a prompt of 100,000 ids of tokens each; no two begin alike."""
    chance = Random(count)
    ids = [chance.randrange(128_000) for _ in range(LONG_IDS)]
    return [orjson.dumps({"model": MODEL, "prompt": [number, *ids]}) for number in range(count)]


def parsed(on: Router, texts: list[bytes]) -> list[RoutedRequest]:
    found = [on.parse(str(number), PATH, {}, text, 1.0) for number, text in enumerate(texts)]
    return [each for each in found if not hasattr(each, "status")]  # type: ignore[misc]


def _decision() -> Row:
    """Three filters, five scorers, the pick and its reservation; beside plain objects that do the same."""
    document = config(routing_peer.WEIGHTS, FILTERS)
    texts = bodies(REQUESTS, SHORT_BYTES)

    def through_router() -> Work:
        made = router(document)
        requests = parsed(made, texts)
        return lambda: [made.arrive(request, 1.0) for request in requests]

    def by_hand() -> Work:
        candidates = routing_peer.endpoints(ENDPOINTS)
        return lambda: [routing_peer.choose_and_reserve(candidates, MODEL) for _ in range(REQUESTS)]

    best = interleaved({"router": through_router, "by hand": by_hand}, ROUNDS)
    value, baseline = (best[name] / REQUESTS * 1e6 for name in ("router", "by hand"))
    return Row(
        f"routing/decision/{ENDPOINTS}-endpoints-3-filters-5-scorers", value, "us", DECISION_GOAL_US, "<=", baseline
    )


def _whole_decisions() -> Iterator[Row]:
    """From bytes to a reservation and its end, with our own policy and with GIE's defaults."""
    own, gie = None, {"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig"}
    sizes = (
        ("short", PATH, bodies(REQUESTS, SHORT_BYTES), None),
        ("16-kb", PATH, bodies(REQUESTS // 4, PAGE_BYTES), PAGE_GOAL_US),
        ("100k-tokens", PATH, bodies(REQUESTS // 10, LONG_BYTES), LONG_GOAL_US),
        ("100k-token-ids", IDS_PATH, id_bodies(REQUESTS // 20), None),
    )
    for name, path, texts, goal in sizes:

        def whole(document: dict[str, Any] | None, path: str = path, texts: list[bytes] = texts) -> Work:
            made = router(document)
            return lambda: _arrive_all(made, path, texts)

        best = interleaved({"own": lambda: whole(own), "gie": lambda: whole(gie)}, ROUNDS)
        for policy, seconds in best.items():
            op = None if goal is None else "<="
            yield Row(f"routing/whole-decision/{policy}/{name}", seconds / len(texts) * 1e6, "us", goal, op)


def _arrive_all(on: Router, path: str, texts: list[bytes]) -> None:
    """One after the other; a request ends when `IN_FLIGHT` others have come, as in a router that runs for long."""
    for number, text in enumerate(texts):
        found = on.parse(str(number), path, {}, text, 1.0)
        if not hasattr(found, "status"):
            on.arrive(found, 1.0)  # type: ignore[arg-type]
        if number >= IN_FLIGHT:
            on.complete(str(number - IN_FLIGHT), 1.0)


def _bursts() -> Iterator[Row]:
    """A hundred requests between two scrapes, where one endpoint of eight is idle: how many it gets."""
    gie = {"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig"}
    for name, document in (("gie-defaults", gie), ("own", None)):
        made = Router(None if document is None else read_routing_config(document, Registry(builtins())))
        for number in range(BURST_ENDPOINTS):
            made.endpoint_up(Endpoint(f"engine-{number}", f"10.0.0.{number}"), 0.0)
            busy = 0 if number == 0 else 1
            made.report(f"engine-{number}", EngineMetrics(busy * 2, busy * 8, busy * 0.3, 16, 8192), 0.0)
        picked = [
            answer.picked[0].name
            for request in parsed(made, bodies(BURST, SHORT_BYTES))
            for answer in made.arrive(request, 0.01)
            if answer.ok
        ]
        most = picked.count("engine-0")
        yield Row(f"routing/burst/{name}/to-the-idle-one-of-{BURST_ENDPOINTS}", most, "requests", BURST_GOAL, "<=")


def _dispatches() -> Row:
    """Requests that wait in flow control and are all let go by one scrape, with their decisions."""
    document = config({"queue-scorer": 2.0, "kv-cache-utilization-scorer": 2.0}, {}, featureGates=["flowControl"])
    count = 2 * REQUESTS

    def full() -> Work:
        made = router(document)
        for number in range(ENDPOINTS):
            made.report(f"engine-{number}", EngineMetrics(1000, 100, 1.0, 16, 8192), 0.0)
        for request in parsed(made, bodies(count, SHORT_BYTES)):
            made.arrive(request, 0.0)
        idle = EngineMetrics(0, 0, 0.0, 16, 1 << 30)

        def let_go() -> None:
            while made.waiting():
                for number in range(ENDPOINTS):
                    made.report(f"engine-{number}", idle, 0.0)

        return let_go

    seconds = interleaved({"flow": full}, ROUNDS)["flow"]
    return Row("routing/flow-control/dispatches", count / seconds, "1/s", DISPATCHES_GOAL_PER_S, ">=")


def _scrape() -> Row:
    """Reading one engine's metrics, of which routing needs a few families; beside a parser that reads all of it."""
    profile = PROFILES["8b"]
    engine = SimulatedEngine(Limits(profile.kv_tokens // 16, 16, profile.step_tokens, 256), profile.timing)
    text = Metrics(engine, MODEL).text(0.0, ())
    data, vllm, times = text.encode(), engine_named("vllm"), 50
    best = interleaved(
        {
            "here": lambda: lambda: [read_metrics(data, vllm) for _ in range(times)],
            "whole": lambda: lambda: [list(text_string_to_metric_families(text)) for _ in range(times)],
        },
        ROUNDS,
    )
    return Row(
        f"routing/scrape/{len(data) // 1000}-kb",
        best["here"] / times * 1e6,
        "us",
        None,
        None,
        best["whole"] / times * 1e6,
    )

"""What this router has sent to one endpoint, and what that makes of the endpoint's metrics."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from bayplan.routing.endpoints.columns import AGELESS
from bayplan.routing.endpoints.endpoint import KnownState
from bayplan.routing.endpoints.engine_metrics import EngineMetrics

if TYPE_CHECKING:
    from bayplan.framework.list_table import ListTable
    from bayplan.routing.accounts.flight import Flight
    from bayplan.routing.endpoints.endpoint import Endpoint

_UNKNOWN = KnownState(EngineMetrics())
_LOAD = ("waiting", "running", "kv_usage", "inflight_requests", "inflight_tokens", "reserved_waiting")
"""The columns that requests change, in the order of `Account.write`."""


class Account:
    """The load of one endpoint: what its engine said, and what was sent since.

    Requests that were sent after the newest metrics are *reserved*: the metrics do not contain them, so they are added
    wherever the metrics are read. A request counts as waiting until its first token, then as running. Requests that the
    metrics do contain and that were evicted since are taken away. An endpoint that goes and comes back gets a new
    account; requests of the old one then end without a trace.
    """

    __slots__ = (
        "_changed", "_columns", "_table", "attributes", "base_requests", "base_tokens", "capacity_tokens",
        "encoder_cache", "endpoint", "evicted", "evicted_tokens", "holders", "metrics", "metrics_at_s",
        "predicted_tpot_ms", "predicted_ttft_ms", "requests", "reserved", "reserved_running", "reserved_tokens",
        "reserved_waiting", "row", "tokens",
    )  # fmt: skip

    def __init__(self, endpoint: Endpoint, now: float) -> None:
        known = endpoint.known or _UNKNOWN
        self.endpoint = endpoint
        self.attributes: dict[str, float] = {}
        self.reserved: dict[int, Flight] = {}  # by the flight's number
        self.metrics_at_s: float | None = None
        self._know(known, now)
        if endpoint.known is None:
            self.metrics_at_s = None
        self.encoder_cache = set(known.encoder_cache)
        self.requests = self.base_requests = known.inflight_requests
        self.tokens: float = known.inflight_tokens
        self.base_tokens = known.inflight_tokens
        self.holders = 0  # requests of ours that hold tokens here

    def learn(self, endpoint: Endpoint, now: float) -> None:
        """What discovery or a document says of the endpoint; where it says nothing of metrics, the former ones stay."""
        self.endpoint = endpoint
        if endpoint.known is not None:
            self._know(endpoint.known, now)

    def report(self, metrics: EngineMetrics, now: float) -> None:
        """New metrics, measured at `now`: what was sent until then is in them."""
        self.metrics, self.metrics_at_s = metrics, now
        self.capacity_tokens = metrics.capacity_tokens
        if metrics.attributes:
            self.attributes = {**self.attributes, **metrics.attributes}
        later = [flight for flight in self.reserved.values() if flight.sent_s > now]
        self._forget_reserved()
        self.reserved = {}
        for flight in later:
            self.reserve(flight)

    def reserve(self, flight: Flight) -> None:
        """A request goes there that the metrics do not contain."""
        self.reserved[flight.number] = flight
        self.reserved_tokens += flight.request.prompt_tokens
        if flight.has_first_token:
            self.reserved_running += 1
        else:
            self.reserved_waiting += 1

    def run(self, flight: Flight) -> None:
        """The first token of a request came: it waits no more."""
        if flight.number in self.reserved:
            self.reserved_waiting -= 1
            self.reserved_running += 1

    def leave(self, flight: Flight, *, is_running: bool, is_evicted: bool = False) -> None:
        """A request is no longer there; `is_running` says how it counted."""
        tokens = flight.request.prompt_tokens
        if self.reserved.pop(flight.number, None) is None:
            if is_evicted:
                self.evicted += 1
                self.evicted_tokens += tokens
            return
        self.reserved_tokens -= tokens
        if is_running:
            self.reserved_running -= 1
        else:
            self.reserved_waiting -= 1

    def clone(self) -> Account:
        """A copy, to see what would be if a request left."""
        other = copy(self)
        other.reserved = dict(self.reserved)
        return other

    def hold(self, tokens: float) -> None:
        """Tokens of a request are to be computed there."""
        self.tokens += tokens
        self.holders += 1

    def drop(self, tokens: float) -> None:
        """They are done; where no request holds any, sums of fractions leave nothing behind."""
        self.holders -= 1
        self.tokens = self.tokens - tokens if self.holders else self.base_tokens

    @property
    def waiting(self) -> float | None:
        """Requests in the engine's queue, with those that were sent since it was measured."""
        return _plus(self.metrics.waiting, self.reserved_waiting)

    @property
    def running(self) -> float | None:
        """Requests that the engine runs, likewise."""
        return _plus(self.metrics.running, self.reserved_running - self.evicted)

    @property
    def kv_usage(self) -> float | None:
        """The part of the KV cache in use, likewise."""
        usage, capacity = self.metrics.kv_usage, self.capacity_tokens
        tokens = self.reserved_tokens - self.evicted_tokens
        if usage is None or not capacity or not tokens:
            return usage
        return min(1.0, max(0.0, usage + tokens / capacity))

    def load(self) -> dict[str, Any]:
        """The cells that requests change."""
        return {
            "waiting": self.waiting,
            "running": self.running,
            "kv_usage": self.kv_usage,
            "inflight_requests": self.requests,
            "inflight_tokens": self.tokens,
            "reserved_waiting": self.reserved_waiting,
        }

    def place(self, row: int, table: ListTable, changed: set[Account]) -> None:
        """Its row in the pool's table from now on; `changed` are the accounts whose rows are to be written anew."""
        self.row, self._table, self._changed = row, table, changed
        columns = table.columns
        self._columns = tuple(columns[name] for name in _LOAD)

    def change(self) -> None:
        """The load is another: the row is written before it is read next, which may be many requests later."""
        self._changed.add(self)

    def write(self) -> None:
        """Write the cells that requests change.

        An endpoint that is gone has its row in a table that nobody looks at any more. Not `table.write`: to check names
        each time costs more than the six cells.
        """
        row = self.row
        waiting, running, kv_usage, requests, tokens, reserved_waiting = self._columns
        waiting[row], running[row], kv_usage[row] = self.waiting, self.running, self.kv_usage
        requests[row], tokens[row], reserved_waiting[row] = self.requests, self.tokens, self.reserved_waiting
        self._table.version += 1

    def cells(self) -> dict[str, Any]:
        """The whole row."""
        endpoint, metrics = self.endpoint, self.metrics
        return {
            "name": endpoint.name,
            "full_name": endpoint.full_name,
            "address": endpoint.address,
            "ip": endpoint.ip,
            "labels": endpoint.labels,
            "role": endpoint.role,
            "ready": endpoint.ready,
            **self.load(),
            "metrics_at_s": self.metrics_at_s,
            "block_size": metrics.block_size,
            "blocks": metrics.blocks,
            "kv_token_capacity": self.capacity_tokens,
            "lora_active": metrics.lora_active,
            "lora_waiting": metrics.lora_waiting,
            "lora_max": metrics.lora_max,
            "encoder_cache": self.encoder_cache,
            "attributes": self.attributes,
            "predicted_ttft_ms": self.predicted_ttft_ms,
            "predicted_tpot_ms": self.predicted_tpot_ms,
        }

    def _know(self, known: KnownState, now: float) -> None:
        """What a document says; its metrics grow old only where it gives their age."""
        self.report(known.metrics, now)
        self.metrics_at_s = AGELESS if known.metrics_age_s is None else now - known.metrics_age_s
        self.predicted_ttft_ms, self.predicted_tpot_ms = known.predicted_ttft_ms, known.predicted_tpot_ms

    def _forget_reserved(self) -> None:
        self.reserved_waiting = self.reserved_running = self.reserved_tokens = 0
        self.evicted = self.evicted_tokens = 0


def _plus(value: float | None, more: int) -> float | None:
    return value if value is None or not more else max(0, value + more)

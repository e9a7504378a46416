"""The columns of the table of endpoints: one row an endpoint of the pool, ready or not."""

from __future__ import annotations

from typing import Any, Final, Protocol

STATIC: Final = ("name", "full_name", "address", "ip", "labels", "role", "ready")
"""What changes when an endpoint comes, goes or is labelled anew.

name: as documents have it; full_name: `namespace/name`; address: `ip:port`; ip: its part before the port; labels: a
mapping; role: the value of `llm-d.ai/role`, "" for none; ready: bool.
"""

STATE: Final = (
    "waiting",
    "running",
    "kv_usage",
    "metrics_at_s",
    "block_size",
    "blocks",
    "kv_token_capacity",
    "lora_active",
    "lora_waiting",
    "lora_max",
    "inflight_requests",
    "inflight_tokens",
    "reserved_waiting",
    "encoder_cache",
    "attributes",
    "predicted_ttft_ms",
    "predicted_tpot_ms",
)
"""What changes with every request or scrape.

waiting, running, kv_usage: as the engine said, with the load that this router has sent since (assumed load); None where
unknown. metrics_at_s: when the newest metrics were measured, None for never, `AGELESS` for metrics that do not grow
old (a document without `ageSeconds`). reserved_waiting: requests sent since the newest
metrics whose first token has not come; `waiting` counts them already, `running` does not. block_size, blocks,
kv_token_capacity: None where unknown. lora_active, lora_waiting: frozensets; lora_max: int. encoder_cache: a set of
media URLs. attributes: a mapping of numbers. predicted_…: None where nobody predicts.
"""

PREFIX_COLUMN: Final = "prefix_of_"
"""Beginning of the columns of prefix producers: the producer's name follows, with `_` for `-`.

Each value is a `PrefixMatch` (`prefix_match.py`): matched blocks, total blocks, block size.
"""

AGELESS: Final = float("inf")
"""In `metrics_at_s`: the metrics do not grow old."""

FRESH_S: Final = 2.0
"""Metrics older than this are not fresh."""


class EndpointRows(Protocol):
    """A typed view of the rows that plugins are shown; each plugin sees the columns it declares."""

    size: int
    name: list[str]
    full_name: list[str]
    address: list[str]
    ip: list[str]
    labels: list[Any]
    role: list[str]
    ready: list[bool]
    waiting: list[float | None]
    running: list[float | None]
    kv_usage: list[float | None]
    metrics_at_s: list[float | None]
    block_size: list[int | None]
    blocks: list[int | None]
    kv_token_capacity: list[int | None]
    lora_active: list[frozenset[str]]
    lora_waiting: list[frozenset[str]]
    lora_max: list[int]
    inflight_requests: list[int]
    inflight_tokens: list[int]
    reserved_waiting: list[int]
    encoder_cache: list[set[str]]
    attributes: list[Any]
    predicted_ttft_ms: list[float | None]
    predicted_tpot_ms: list[float | None]

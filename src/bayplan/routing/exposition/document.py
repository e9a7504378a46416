"""The Metrics document of a reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayplan.routing.exposition.reading import Reading

_EXACT = 2.0**53  # below it every whole float is exact as an int


def metrics_document(reading: Reading) -> dict[str, Any]:
    """The document; null is unknown. Counts are whole numbers wherever they are whole."""
    loras = reading.loras
    return {
        "kind": "Metrics",
        "metrics": {
            "waiting": _shown(reading.waiting),
            "running": _shown(reading.running),
            "kvCacheUsage": reading.kv_usage,
            "cacheBlockSize": reading.block_size,
            "cacheBlocks": reading.blocks,
            "kvTokenCapacity": reading.kv_token_capacity,
        },
        "loras": {
            "active": None if loras.active is None else list(loras.active),
            "waiting": None if loras.waiting is None else list(loras.waiting),
            "max": loras.most,
        },
        "attributes": {key: _shown(value) for key, value in reading.attributes.items()},
        "warnings": list(reading.warnings),
    }


def _shown(value: float | None) -> float | None:
    return int(value) if value is not None and value.is_integer() and value < _EXACT else value

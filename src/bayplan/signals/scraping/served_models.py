"""The models that an engine serves, as `/v1/models` lists them."""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson


class ServedModels(NamedTuple):
    """Names of models, and of adapters: those that have a parent."""

    models: tuple[str, ...] = ()
    adapters: frozenset[str] = frozenset()


def served_models(body: bytes) -> ServedModels:
    """What a list of models says; nothing where it is none."""
    try:
        document: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ServedModels()
    listed = document.get("data") if isinstance(document, dict) else None
    entries = [each for each in (listed if isinstance(listed, list) else ()) if isinstance(each, dict)]
    named = [(each["id"], bool(each.get("parent"))) for each in entries if isinstance(each.get("id"), str)]
    return ServedModels(
        tuple(name for name, is_adapter in named if not is_adapter),
        frozenset(name for name, is_adapter in named if is_adapter),
    )

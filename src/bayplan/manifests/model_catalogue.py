"""Published models by name, for workloads that name a model whose files are not at hand.

`model_catalogue.json` has one entry a build: the names of the models that share it, what their config.json says about
sizes, and the published count of weights in billions (null for packed weights), which a test compares with ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.framework.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class CataloguedModel:
    """A published model: its full name, and what its config.json says."""

    name: str
    config: Mapping[str, Any]
    billion: float | None


def catalogued(name: str) -> CataloguedModel | None:
    """The model of this name, in upper or lower case: OWNER/MODEL, or MODEL alone.

    A model of the same name by another owner does not match: its weights may be quantized differently.
    """
    return _by_name().get(name.casefold())


def nearest_name(name: str) -> str | None:
    """The full name of the most similar entry, None where none is similar."""
    near = nearest(name, (entry.name for entry in _by_name().values()))
    return near or nearest(name, _by_name())


def all_models() -> list[CataloguedModel]:
    """Every model once, in the order of the file."""
    return [CataloguedModel(name, entry["config"], entry["billion"]) for entry in _entries() for name in entry["names"]]


@cache
def _by_name() -> dict[str, CataloguedModel]:
    """Each model by its full name, and by the part behind the owner."""
    models = all_models()
    short = {model.name.rpartition("/")[2].casefold(): model for model in models}
    return {**short, **{model.name.casefold(): model for model in models}}


def _entries() -> list[dict[str, Any]]:
    text = resources.files("bayplan.manifests").joinpath("model_catalogue.json").read_bytes()
    entries: list[dict[str, Any]] = orjson.loads(text)
    return entries

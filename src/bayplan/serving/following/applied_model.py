"""A model that was applied: its document, and which version of it is meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.serving.served_model import ServedModel


@dataclass(slots=True, eq=False)
class AppliedModel:
    """`order` counts first applications: models are decided in this order. `highest` is the highest version so far."""

    model: ServedModel
    version: int
    order: int
    highest: int

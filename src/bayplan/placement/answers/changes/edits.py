"""Shapes with other cards or another model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayplan.cluster.workload import Shape


def with_gpus(shape: Shape, **fields: Any) -> Shape:
    """The shape with these fields of its request for cards; one without cards stays as it is."""
    return shape if shape.gpus is None else replace(shape, gpus=replace(shape.gpus, **fields))


def with_model(shape: Shape, **fields: Any) -> Shape:
    """The shape with these fields of its model; one without a model stays as it is."""
    return shape if shape.model is None else replace(shape, model=replace(shape.model, **fields))

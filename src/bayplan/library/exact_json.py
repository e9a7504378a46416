"""Sized workloads as JSON and back, exactly: what a record needs so that its decision can be made again elsewhere.

A document of a workload would not do: sizes come from files that another machine does not have.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from bayplan.cluster.device_offer import Sharing
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gang import Gang, MinResources
from bayplan.cluster.gpu import CardId, GpuId
from bayplan.cluster.model import Architecture, ModelPart, ModelSpec
from bayplan.cluster.selector import Operator, Requirement, Selector
from bayplan.cluster.taint import TaintEffect, Toleration
from bayplan.cluster.topology import Level
from bayplan.cluster.workload import (
    Backend,
    Container,
    CostLimit,
    DryRun,
    GpuRequest,
    Locality,
    Preemption,
    Role,
    Shape,
    Workload,
    WorkloadId,
)
from bayplan.framework.errors import InputError
from bayplan.placement.asks.ask import CardRule
from bayplan.placement.asks.sized_workload import SizedRole, SizedWorkload
from bayplan.placement.packing.demand import PackingDemand
from bayplan.sizing.engine import Engine
from bayplan.sizing.need import Need
from bayplan.sizing.overhead import Overhead, Step

KIND = "$"
_TYPES: dict[str, type[Any]] = {
    each.__name__: each
    for each in (
        Architecture, Backend, CardId, CardRule, Container, CostLimit, DryRun, Engine, Gang, GpuId, GpuRequest, Level,
        Locality, MinResources, ModelPart, ModelSpec, Need, Operator, Overhead, PackingDemand, Preemption, Requirement,
        Role, Selector, Shape, Sharing, SizedRole, SizedWorkload, Step, TaintEffect, Toleration, Workload, WorkloadId,
    )
}  # fmt: skip
"""The only types that are ever made from a document."""


def to_json(value: Any) -> Any:
    """A value as plain data; TypeError for a type that is not known here."""
    if value is None or isinstance(value, bool | int | float) or type(value) is str:
        return value
    if type(value) is tuple:
        return [to_json(each) for each in value]
    names = [each.name for each in fields(value)] if is_dataclass(value) else getattr(value, "_fields", None)
    if names is not None:
        return {KIND: _known(value), **{name: to_json(getattr(value, name)) for name in names}}
    return _special(value)


def _special(value: Any) -> dict[str, Any]:
    if isinstance(value, Enum):
        return {KIND: _known(value), "value": value.value}
    if isinstance(value, Fraction):
        return {KIND: "Fraction", "value": str(value)}
    if isinstance(value, FrozenMap):
        return {KIND: "FrozenMap", "value": [[to_json(key), to_json(each)] for key, each in value.items()]}
    if isinstance(value, frozenset):
        return {KIND: "frozenset", "value": sorted(map(to_json, value))}
    raise TypeError(f"{type(value).__name__} has no exact form")


def from_json(data: Any) -> Any:
    """The same value again; InputError where the data is none of ours."""
    if isinstance(data, list):
        return tuple(from_json(each) for each in data)
    if not isinstance(data, dict):
        return data
    name = data.get(KIND)
    try:
        return _made(name, data)
    except (TypeError, ValueError, KeyError, AttributeError, ArithmeticError) as error:
        message = f"cannot be made from this record: {type(error).__name__}"
        raise InputError(message, place=str(name)[:40], next="replay it with the version that recorded it") from None


def _made(name: Any, data: dict[str, Any]) -> Any:
    match name:
        case "Fraction":
            return Fraction(data["value"])
        case "FrozenMap":
            return FrozenMap({from_json(key): from_json(each) for key, each in data["value"]})
        case "frozenset":
            return frozenset(map(from_json, data["value"]))
    kind = _TYPES[name]
    if issubclass(kind, Enum):
        return kind(data["value"])
    return kind(**{key: from_json(each) for key, each in data.items() if key != KIND})


def _known(value: Any) -> str:
    name = type(value).__name__
    if _TYPES.get(name) is not type(value):
        raise TypeError(f"{name} has no exact form")
    return name

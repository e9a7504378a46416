"""The shape of every kind, read from the files of `schemas/`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.control.resources.notation import read_field
from bayplan.control.resources.shape import Form, Merging, ObjectType, Shape

if TYPE_CHECKING:
    from bayplan.control.resources.resource_type import Api, ResourceType
    from bayplan.control.resources.shape import FieldType

_DIALECTS = {
    "bayplan.io": "bayplan",
    "neuronetes.io": "neuronetes",
    "neuronetes.ai": "neuronetes",
    "scheduling.x-k8s.io": "scheduling",
    "scheduling.sigs.k8s.io": "scheduling",
    "topology.node.k8s.io": "topology",
    "ai.centauruscloud.io": "alnair",
    "mlops.seldon.io": "seldon",
    "inference.networking.k8s.io": "inference",
    "inference.networking.x-k8s.io": "inference_extension",
    "llm-d.ai": "inference_extension",
    "events.k8s.io": "events",
}
"""The file of each group whose types have names of their own; all other groups share those of Kubernetes."""


@cache
def schema_of(resource: ResourceType, api: Api | None = None) -> Shape:
    """The shape of a whole document of that kind, as it is stored or as `api` serves it."""
    group = (api or resource.storage).group
    return shape_named(resource.kind, _DIALECTS.get(group, ""))


@cache
def shape_named(name: str, dialect: str = "") -> Shape:
    """The shape of a type by its short name, such as `Eviction` or `ObjectMeta`."""
    found = _type(name, dialect)
    return Shape(Form.OBJECT, type=found, merging=Merging.ATOMIC if found.atomic else Merging.GRANULAR)


@cache
def _type(name: str, dialect: str) -> ObjectType:
    """The type of that name in a dialect, else in Kubernetes."""
    found = _library(dialect).get(name)
    if found is None:
        if not dialect:
            raise KeyError(name)
        return _type(name, "")
    prefix, written = found

    def read(key: str, text: str) -> FieldType:
        return read_field(key, text, lambda named: _type(named, dialect))

    about, atomic = written.get("", ""), written.get("*") == "atomic"
    return ObjectType(f"{prefix}.{name}", about, atomic, strict=not dialect, written=written, read=read)


@cache
def _library(dialect: str) -> dict[str, tuple[str, dict[str, str]]]:
    """The types of a dialect, with the prefix of their names in OpenAPI; empty stands for Kubernetes."""
    folder = files("bayplan.control.resources") / "schemas"
    paths = [folder / f"{dialect}.json"] if dialect else list((folder / "kubernetes").iterdir())
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for path in paths:
        document: dict[str, dict[str, dict[str, Any]]] = orjson.loads(path.read_bytes())
        for prefix, types in document.items():
            found |= {name: (prefix, fields) for name, fields in types.items()}
    return found

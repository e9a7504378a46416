"""What the model of a shape needs, with the files of each model read once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.model import ModelSpec
from bayplan.manifests.model_files import read_model_files
from bayplan.placement.asks.sized_workload import SizedRole
from bayplan.sizing.engine import read_engine
from bayplan.sizing.size import size

if TYPE_CHECKING:
    from collections.abc import Hashable

    from bayplan.cluster.workload import Shape
    from bayplan.sizing.facts import ModelFiles


class ModelSizer:
    """Sizes one shape after the other: all shapes of a call, or the variants of one shape that `why` tries.

    Model files are read here and nowhere further in.
    """

    def __init__(self) -> None:
        self._read: dict[Hashable, ModelFiles | None] = {}

    def __call__(self, shape: Shape) -> SizedRole:
        engine = read_engine(shape.backend)
        if shape.model is None or _is_label(shape.model, shape):
            return SizedRole(shape, None, engine)
        return SizedRole(shape, size(shape.model, self._files(shape.model), engine), engine)

    def _files(self, model: ModelSpec) -> ModelFiles | None:
        """The files of a model; what was read for more adapters serves for fewer of them."""
        parts = {part.path for part in (*model.loras, model.draft) if part is not None} - {None}
        key = _read_by(model)
        known = self._read.get(key)
        if key not in self._read or (parts and (known is None or not parts <= known.parts.keys())):
            known = self._read[key] = read_model_files(model)
        return known


def _read_by(model: ModelSpec) -> Hashable:
    """What decides which files are read, besides adapters: numbers that are given make the catalogue needless."""
    given = (model.weights_mib, model.kv_cache_mib, model.architecture.layers)
    return (model.path, model.name, *(number is None for number in given))


def _is_label(model: ModelSpec, shape: Shape) -> bool:
    """Whether the model is only a name, in a workload that counts its cards and names no engine, as AgentPools do.

    Such a workload gets whole cards; there is nothing to size.
    """
    counted = shape.gpus is not None and shape.gpus.count is not None
    return counted and shape.backend is None and model == ModelSpec(name=model.name)

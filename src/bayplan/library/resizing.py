"""Shapes sized again and again, with the files of each model read once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.manifests.model_files import read_model_files
from bayplan.placement.asks.sized_workload import SizedRole
from bayplan.sizing.engine import read_engine
from bayplan.sizing.size import size

if TYPE_CHECKING:
    from bayplan.cluster.model import ModelSpec
    from bayplan.cluster.workload import Shape
    from bayplan.sizing.facts import ModelFiles


class Resizing:
    """What a shape needs as it would be written; only paths decide what is read."""

    def __init__(self) -> None:
        self._read: dict[str | None, ModelFiles | None] = {}

    def __call__(self, shape: Shape) -> SizedRole:
        engine = read_engine(shape.backend)
        if shape.model is None:
            return SizedRole(shape, None, engine)
        return SizedRole(shape, size(shape.model, self._files(shape.model), engine), engine)

    def _files(self, model: ModelSpec) -> ModelFiles | None:
        """What was read for more adapters does for fewer."""
        parts = {part.path for part in (*model.loras, model.draft) if part is not None} - {None}
        known = self._read.get(model.path)
        if model.path not in self._read or (parts and (known is None or not parts <= known.parts.keys())):
            known = self._read[model.path] = read_model_files(model)
        return known

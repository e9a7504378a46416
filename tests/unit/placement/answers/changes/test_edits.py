from __future__ import annotations

from bayplan.cluster.model import ModelSpec
from bayplan.cluster.workload import GpuRequest, Shape
from bayplan.placement.answers.changes.edits import with_gpus, with_model


def test_only_the_named_fields_change():
    shape = Shape(gpus=GpuRequest(count=2, models=("A100",)), model=ModelSpec(name="m", context=1024))

    assert with_gpus(shape, count=1).gpus == GpuRequest(count=1, models=("A100",))
    assert with_model(shape, context=512).model == ModelSpec(name="m", context=512)


def test_what_is_not_there_stays_away():
    assert with_gpus(Shape(), count=1) == with_model(Shape(), context=1) == Shape()

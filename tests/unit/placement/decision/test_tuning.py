"""What a workload changes about its strategy."""

from bayplan.cluster.workload import Shape
from bayplan.placement.decision.tuning import PLAIN, Tuning, tuning_of


def test_of_a_shape():
    assert tuning_of(Shape()) == PLAIN
    assert tuning_of(Shape(max_workers_to_score=5)) == Tuning(sample=5)
    assert tuning_of(Shape(weights=(("carbon", 3.0),))) == Tuning(weights=(("carbon", 3.0),))

"""What a workload changes about its strategy."""

from bayplan.cluster.workload import Shape
from bayplan.placement.constraints.anti_affinity import AntiAffinity
from bayplan.placement.decision.tuning import PLAIN, Tuning, tuning_of


def test_of_a_shape():
    assert tuning_of(Shape(), ()) == PLAIN
    assert tuning_of(Shape(max_workers_to_score=5), ()) == Tuning(sample=5)
    assert tuning_of(Shape(weights=(("carbon", 3.0),)), ()) == Tuning(weights=(("carbon", 3.0),))


def test_plain_is_what_asks_about_each_replica_by_itself():
    assert Tuning(weights=(("carbon", 3.0),)).is_plain
    assert not Tuning(sample=1).is_plain
    assert not Tuning((AntiAffinity(),)).is_plain

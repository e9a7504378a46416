"""Whether the model is there already, and how often it is hit."""

import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.placement.scorers.model_cache import ModelCache
from unit.placement.builders import ask, keeps_its_promises, worker
from unit.placement.scorers.explained import note, score, terms

LLAMA = ask(model_name="llama")
CASES = {
    "not cached": (LLAMA, {}, 0.0, ""),
    "another model": (LLAMA, {"bert": 1.0}, 0.0, ""),
    "cached and never hit": (LLAMA, {"llama": 0.0}, 0.5, ""),
    "cached and often hit": (LLAMA, {"llama": 0.8}, 0.9, ""),
    "cached, hits not known": (LLAMA, {"llama": None}, 0.75, "not known: hit rate"),
    "no model": (ask(), {"llama": 1.0}, 0.5, "neutral: the workload names no model"),
}


def caching(cached, name="a"):
    return worker(name, cached_models=FrozenMap(cached))


@pytest.mark.parametrize(("asked", "cached", "wanted", "told"), CASES.values(), ids=CASES)
def test_score(asked, cached, wanted, told):
    assert score(ModelCache(), asked, caching(cached)) == pytest.approx(wanted)
    assert note(ModelCache(), asked, caching(cached)) == told


def test_each_worker_by_its_own_cache():
    found = terms(ModelCache(), LLAMA, caching({"llama": 1.0}, "a"), caching({}, "b"), caching({"llama": 0.0}, "c"))

    assert {name: term.score for name, term in found.items()} == {"a": 1.0, "b": 0.0, "c": 0.5}


def test_contract():
    keeps_its_promises(ModelCache(), [caching(cached) for _, cached, *_ in CASES.values()], [ask(), LLAMA])

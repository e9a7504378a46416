import pytest

from bayplan.framework.errors import InputError
from bayplan.routing.exposition.engine import BUILT_IN, Engine, MetricSpec, engine_named


def test_a_built_in_engine():
    assert engine_named("sglang") is BUILT_IN["sglang"]


def test_an_engine_of_ones_own_comes_first():
    own = Engine("vllm", waiting=MetricSpec("mine"))

    assert engine_named("vllm", {"vllm": own}) is own


def test_an_unknown_engine():
    with pytest.raises(InputError, match="no engine is called 'vlm'; did you mean 'vllm'") as caught:
        engine_named("vlm")

    assert caught.value.place == "engine"


def test_a_spec_is_written_as_a_selector():
    assert str(MetricSpec("m", (("a", "b"), ("c", "d")))) == 'm{a="b",c="d"}'
    assert str(MetricSpec("m")) == "m"

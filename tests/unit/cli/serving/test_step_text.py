"""Steps in a few words."""

import pytest

from bayplan.cli.serving.step_text import step_text

STEPS = {
    "a model": ({"do": {"apply": {"metadata": {"name": "iris"}}}}, "apply iris"),
    "a name": ({"delete": "iris"}, "delete iris"),
    "a replica": ({"drain": {"server": "a", "index": 0}}, "drain a/0"),
    "an answer": ({"loaded": {"model": "iris", "server": "a", "index": 0}}, "loaded iris on a/0"),
    "a request": ({"infer": {"model": "iris"}}, "infer iris"),
    "nothing": ({"tick": {}}, "tick"),
}


@pytest.mark.parametrize(("step", "text"), STEPS.values(), ids=STEPS)
def test_steps(step, text):
    assert step_text(step) == text

"""Advice as a document."""

import pytest

from bayplan.serving.answers.scaling_document import scaling_document
from bayplan.serving.autoscaling.advice import Advice, hold

ACTIONS = {"up": (Advice(1, 2, "lag"), "up"), "down": (Advice(2, 1, "idle"), "down"), "hold": (hold(2, "x"), "hold")}


@pytest.mark.parametrize(("advice", "action"), ACTIONS.values(), ids=ACTIONS)
def test_actions(advice, action):
    found = scaling_document("iris", "model", advice)

    assert (found["action"], found["current"], found["desired"]) == (action, advice.current, advice.desired)
    assert (found["kind"], found["subject"]) == ("Scaling", "model")

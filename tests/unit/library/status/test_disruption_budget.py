import pytest

from bayplan.library.status.disruption_budget import disruption_budget_status
from unit.library.status.observed import NOW, since, told, with_status

NUMBERS = {
    "a number that must stay": ({"minAvailable": 2}, 3, 3, 2, 1),
    "all must stay": ({"minAvailable": "100%"}, 3, 3, 3, 0),
    "a share rounds up": ({"minAvailable": "50%"}, 3, 3, 2, 1),
    "a number that may go": ({"maxUnavailable": 1}, 3, 3, 2, 1),
    "one is away already": ({"maxUnavailable": 1}, 2, 3, 2, 0),
    "a share that may go rounds up": ({"maxUnavailable": "30%"}, 4, 4, 2, 2),
    "none may go": ({"maxUnavailable": 0}, 4, 4, 4, 0),
    "fewer than needed": ({"minAvailable": 4}, 2, 3, 4, 0),
    "nothing is selected": ({"minAvailable": 0}, 0, 0, 0, 0),
    "nothing is said": ({}, 2, 2, 1, 1),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "healthy", "expected", "needed", "allowed"), NUMBERS.values(), ids=NUMBERS)
def test_numbers(spec, healthy, expected, needed, allowed):
    budget = {"metadata": {"name": "b", "generation": 2}, "spec": spec}

    status = disruption_budget_status(budget, healthy, expected, NOW)

    assert (status["currentHealthy"], status["expectedPods"]) == (healthy, expected)
    assert (status["desiredHealthy"], status["disruptionsAllowed"]) == (needed, allowed)
    assert status["observedGeneration"] == 2


def test_the_condition_is_set_and_cleared():
    budget = {"metadata": {"name": "b"}, "spec": {"minAvailable": 1}}

    tight = disruption_budget_status(budget, 1, 2, NOW)
    loose = disruption_budget_status(with_status(budget, tight), 2, 2, NOW + 60)

    assert told(tight, "DisruptionAllowed") == ("False", "InsufficientPods")
    assert told(loose, "DisruptionAllowed") == ("True", "SufficientPods")
    assert since(tight, "DisruptionAllowed") != since(loose, "DisruptionAllowed")

import pytest

from bayplan.framework.errors import InputError
from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.signals.scraping.pace import Budget, ScrapeSettings, wait_after, wait_after_failures

SETTINGS = ScrapeSettings()
WAITS = {
    "requests wait": (EngineMetrics(waiting=1, running=5), 0.05),
    "the cache is nearly full": (EngineMetrics(waiting=0, running=5, kv_usage=0.9), 0.05),
    "it works": (EngineMetrics(waiting=0, running=5, kv_usage=0.4), 0.2),
    "it is idle": (EngineMetrics(waiting=0, running=0, kv_usage=0.4), 1.0),
    "nothing is known": (EngineMetrics(), 0.2),
    "no queue is known": (EngineMetrics(running=0), 0.2),
}


@pytest.mark.parametrize(("metrics", "wait_s"), WAITS.values(), ids=WAITS)
def test_waits(metrics, wait_s):
    assert wait_after(metrics, SETTINGS) == wait_s


def test_waits_after_failures():
    waits = [wait_after_failures(failures, SETTINGS) for failures in (1, 2, 3, 4, 5, 6, 5000)]

    assert waits == [0.05, 0.05, 0.2, 0.4, 0.8, 1.0, 1.0]


def test_few_engines_get_what_they_want():
    budget = Budget(SETTINGS)
    budget.spent(0.0002)

    assert budget.wait("a", 0.05) == 0.05


def test_many_engines_share_what_there_is():
    budget = Budget(ScrapeSettings(cpu_share=0.1))
    budget.spent(0.0002)
    for number in range(99):
        budget.wait(str(number), 0.05)

    assert budget.wait("last", 0.05) == pytest.approx(0.2)  # 100 x 20 a second x 0.2 ms is 4 times the share


def test_waits_never_grow_past_the_longest():
    budget = Budget(SETTINGS)
    budget.spent(10.0)

    assert budget.wait("a", 0.05) == SETTINGS.longest_s


def test_engines_that_leave_cost_nothing():
    budget = Budget(SETTINGS)
    budget.spent(0.1)
    for number in range(50):
        budget.wait(str(number), 0.05)
    for number in range(50):
        budget.left(str(number))
    budget.left("never seen")

    assert budget.stretch == 1.0


def test_a_changed_wish_replaces_the_former():
    budget = Budget(SETTINGS)
    budget.spent(0.01)
    for _ in range(50):
        budget.wait("a", 1.0)

    assert budget.stretch == 1.0


WRONG = {
    "waits in another order": {"busy_s": 2.0},
    "no wait": {"busy_s": 0.0},
    "all jitter": {"jitter": 1.0},
    "no failures": {"failures": 0},
    "no core": {"cpu_share": 0.0},
}


@pytest.mark.parametrize("given", WRONG.values(), ids=WRONG)
def test_what_is_refused(given):
    with pytest.raises(InputError):
        ScrapeSettings(**given)

import pytest

from bayplan.control.controllers.rollout import SetState, Strategy, next_step

ROLLING = Strategy(surge=1, unavailable=1)
NO_SURGE = Strategy(surge=0, unavailable=1)
NONE_AWAY = Strategy(surge=2, unavailable=0)
RECREATE = Strategy(recreate=True)


def new(replicas, available=None):
    return SetState("new", replicas, replicas if available is None else available, replicas)


def old(replicas, available=None, name="old", pods=None):
    available = replicas if available is None else available
    return SetState(name, replicas, available, replicas if pods is None else pods)


STEPS = {
    "a first rollout": (4, ROLLING, new(0), [], {"new": 4}),
    "all is done": (4, ROLLING, new(4), [old(0)], {}),
    "it begins with the surge": (4, ROLLING, new(0), [old(4)], {"new": 1}),
    "then old ones go": (4, ROLLING, new(1, 0), [old(4)], {"old": 3}),
    "old ones wait for new ones": (4, ROLLING, new(2, 0), [old(3)], {}),
    "a new one is ready": (4, ROLLING, new(2, 1), [old(3)], {"old": 2}),
    "without surge an old one goes first": (4, NO_SURGE, new(0), [old(4)], {"old": 3}),
    "then a new one comes": (4, NO_SURGE, new(0), [old(3)], {"new": 1}),
    "nobody may be missing": (4, NONE_AWAY, new(2, 0), [old(4)], {}),
    "two are ready": (4, NONE_AWAY, new(2, 2), [old(4)], {"old": 2}),
    "broken old ones go first, the oldest set first": (
        4, ROLLING, new(1, 0), [old(2, 0, "first"), old(2, 2, "second")], {"first": 1}),
    "scaled up": (6, ROLLING, new(4), [], {"new": 6}),
    "scaled down": (2, ROLLING, new(4), [], {"new": 2}),
    "scaled to zero in the middle": (0, ROLLING, new(2), [old(2)], {"new": 0}),
    "and then the old ones": (0, ROLLING, new(0), [old(2)], {"old": 0}),
    "recreate: the old ones go": (3, RECREATE, new(0), [old(3)], {"old": 0}),
    "recreate: until they are gone": (3, RECREATE, new(0), [old(0, 0, pods=1)], {}),
    "recreate: then the new ones come": (3, RECREATE, new(0), [old(0)], {"new": 3}),
}  # fmt: skip


@pytest.mark.parametrize(("desired", "strategy", "fresh", "others", "step"), STEPS.values(), ids=STEPS)
def test_the_next_step(desired, strategy, fresh, others, step):
    assert next_step(desired, strategy, fresh, others) == step


def rolling(surge, unavailable, replicas=3):
    return {"replicas": replicas, "strategy": {"rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}}


STRATEGIES = {
    "nothing said": ({"replicas": 10}, Strategy(False, 3, 2)),
    "percentages round up and down": (rolling("10%", "50%"), Strategy(False, 1, 1)),
    "numbers": (rolling(2, 0), Strategy(False, 2, 0)),
    "neither is allowed": (rolling(0, "0%"), Strategy(False, 0, 1)),
    "recreate": ({"strategy": {"type": "Recreate"}}, Strategy(recreate=True)),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "strategy"), STRATEGIES.values(), ids=STRATEGIES)
def test_the_strategy_of_a_deployment(spec, strategy):
    assert Strategy.of(spec) == strategy


@pytest.mark.parametrize("strategy", [ROLLING, NO_SURGE, NONE_AWAY, RECREATE])
@pytest.mark.parametrize("desired", [0, 1, 2, 7])
def test_every_rollout_ends_within_its_bounds(strategy, desired):
    sets = {"new": [0, 0], "old": [desired, desired]}
    for _ in range(50):
        step = next_step(
            desired,
            strategy,
            SetState("new", *sets["new"], sets["new"][0]),
            [SetState("old", *sets["old"], sets["old"][0])],
        )
        for name, replicas in step.items():
            sets[name] = [replicas, min(sets[name][1], replicas)]
        total, available = (sum(each[number] for each in sets.values()) for number in (0, 1))
        if not strategy.recreate:
            assert total <= desired + strategy.surge
            assert available >= desired - strategy.unavailable
        if not step:
            for each in sets.values():
                each[1] = each[0]
    assert sets == {"new": [desired, desired], "old": [0, 0]}

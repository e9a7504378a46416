import pytest

from bayplan.routing.cost.engine_account import EngineLoad
from bayplan.routing.cost.settings import CostSettings

SETTINGS = CostSettings()


def load(*sent):
    """An engine with these requests: an id, the predicted seconds and when it was sent."""
    made = EngineLoad(SETTINGS)
    for id_, own_s, sent_s in sent:
        made.add(id_, own_s, 100, sent_s)
    return made


def test_work_is_what_has_no_first_token_yet():
    engine = load(("a", 1.0, 0.0), ("b", 0.5, 0.0))

    engine.first_token("a", 1.0, SETTINGS.rate_bucket_s)

    assert (engine.work_s, engine.resident_tokens, list(engine.pending)) == (0.5, 100, ["b"])


def test_a_request_that_ends_leaves_nothing_behind():
    engine = load(("a", 0.1, 0.0), ("b", 0.2, 0.0))
    engine.first_token("a", 1.0, SETTINGS.rate_bucket_s)

    engine.leave("a")
    engine.take("b")

    assert (engine.work_s, engine.resident_tokens, engine.pending, engine.resident) == (0.0, 0, {}, {})


def test_a_first_token_of_an_unknown_request_changes_nothing():
    engine = load(("a", 1.0, 0.0))

    assert not engine.first_token("z", 1.0, SETTINGS.rate_bucket_s)
    engine.leave("z")
    assert (engine.work_s, engine.resident_tokens) == (1.0, 0)


RUNNING = {
    "nothing is computed": (load(), 5.0, 0.0),
    "it was just sent": (load(("a", 2.0, 5.0)), 5.0, 0.0),
    "it runs for a second": (load(("a", 2.0, 5.0)), 6.0, 1.0),
    "at most nine tenths of its prediction": (load(("a", 2.0, 5.0)), 60.0, 1.8),
    "only the oldest is computed": (load(("a", 2.0, 0.0), ("b", 9.0, 0.0)), 1.0, 1.0),
}


@pytest.mark.parametrize(("engine", "now", "seconds"), RUNNING.values(), ids=RUNNING)
def test_how_long_the_oldest_request_has_been_computed(engine, now, seconds):
    assert engine.running_s(now, 0.9) == pytest.approx(seconds)


def test_the_next_request_is_computed_from_the_first_token_before_it_on():
    engine = load(("a", 2.0, 0.0), ("b", 9.0, 0.0))

    engine.first_token("a", 3.0, SETTINGS.rate_bucket_s)

    assert engine.running_s(4.0, 0.9) == 1.0

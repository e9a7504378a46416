from bayplan.sim.engine.batching.sequence import Sequence
from bayplan.sim.routing.pickers.scraped import KEPT, Reading, Scraped
from unit.sim.routing.traces import SPEC

IDLE = Reading(0, 0, 0.0)


def busy(at_s, period_s=0.05, latency_s=0.05):
    """A pool of one engine that got a request at a time."""
    engines = [SPEC.engine(100)]
    scraped = Scraped(engines, period_s, latency_s)
    engines[0].submit(Sequence(500, 5), at_s)
    scraped.changed(0, at_s)
    return scraped


def test_what_is_seen_is_between_one_and_two_periods_old():
    scraped = busy(1.01)

    assert scraped.reading(0, 1.09) == IDLE  # the scrape at 1.05 has not arrived
    assert scraped.reading(0, 1.11).waiting == 1
    assert scraped.at(1.12) == 1.05


def test_only_some_changes_are_remembered():
    scraped = busy(0.0)
    for number in range(1, 4 * KEPT):
        scraped.changed(0, number * 1.0)

    assert scraped.reading(0, 4.0 * KEPT).waiting == 1
    assert len(scraped._times[0]) <= 2 * KEPT

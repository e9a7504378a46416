from bayplan.sim.routing.pickers import configs
from bayplan.sim.routing.pickers.routed import FRESH_S, Routed, share_account
from bayplan.sim.routing.pickers.scraped import Reading
from unit.sim.routing.traces import request

LONG = tuple(range(30))


class Fixed:
    """Readings that a test may change; they are as old as now."""

    def __init__(self, engines):
        self.readings = [Reading(0, 0, 0.0)] * engines
        self.asked = 0

    def at(self, now):
        return now

    def reading(self, number, now):
        self.asked += 1
        return self.readings[number]


def routed(config, engines=2, scraped=None):
    return Routed("tested", config, engines=engines, blocks=50, block_tokens=100, scraped=scraped)


def test_our_own_policy_sends_a_prompt_to_where_it_is_known():
    picker = routed(configs.own("early", 0.001, 100))
    ((_, first),) = picker.arrive(request("a", 0.0, *LONG), 0.0)
    picker.first_token("a", 3.0)
    picker.complete("a", 3.0)

    assert [picker.arrive(request(id_, 4.0, *LONG, 99), 4.0) for id_ in "b"] == [[("b", first)]]


def test_late_holds_what_has_no_room():
    picker = routed(configs.own("late", 0.1, 100), engines=1)
    first = picker.arrive(request("a", 0.0, *LONG), 0.0)

    assert (first, picker.arrive(request("b", 0.1, *LONG, 50), 0.1)) == ([("a", 0)], [])
    assert picker.first_token("a", 3.0) == [("b", 0)]
    assert picker.complete("a", 4.0) == []
    assert picker.router.inflight()["engine-0"][0] == 1


def test_the_router_sees_metrics_as_they_are_scraped():
    scraped = Fixed(2)
    picker = routed(configs.GIE_DEFAULTS, scraped=scraped)
    scraped.readings = [Reading(9, 0, 0.9), Reading(0, 0, 0.0)]

    assert picker.arrive(request("a", 0.0, 1), 0.0) == [("a", 1)]
    scraped.readings = [Reading(0, 0, 0.0), Reading(9, 0, 0.9)]
    assert picker.arrive(request("b", 0.1, 2), 0.1) == [("b", 0)]
    assert picker.router.metrics_of("engine-1").waiting == 9


def test_metrics_that_do_not_change_stay_fresh():
    picker = routed(configs.GIE_DEFAULTS, scraped=Fixed(2))
    picker.arrive(request("a", 0.0, 1), 0.0)
    picker.arrive(request("b", 10 * FRESH_S, 2), 10 * FRESH_S)

    assert picker._told[0][1] == 10 * FRESH_S


def test_a_lost_engine_gives_its_requests_to_others():
    picker = routed(configs.own("early", 0.001, 100))
    sends = [picker.arrive(request(id_, 0.0, number), 0.0)[0] for number, id_ in enumerate("ab")]
    lost = sends[0][1]

    again = picker.lose(lost, [request(id_, 0.0, 1) for id_, engine in sends if engine == lost], 1.0)

    assert {engine for _, engine in again} == {1 - lost}
    assert picker.regain(lost, 2.0) == []
    assert picker.tick(3.0) == []


def test_routers_that_share_an_account_see_each_other():
    one, other = (routed(configs.own("late", 0.1, 100), engines=2) for _ in range(2))
    share_account([one, other])

    first = one.arrive(request("a", 0.0, *LONG), 0.0)
    second = other.arrive(request("b", 0.0, *LONG), 0.0)

    assert {first[0][1], second[0][1]} == {0, 1}

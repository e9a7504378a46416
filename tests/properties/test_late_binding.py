"""A request that is sent at once goes where holding it first would have sent it."""

from hypothesis import given, settings, strategies as st

from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.own_policy import own_config
from bayplan.routing.router import Router

NAMES = ("a", "b", "c")
PATH = "/v1/completions"

ARRIVALS = st.tuples(st.just("arrive"), st.sampled_from([1, 40, 300, 1100, 5000, 9000]), st.integers(0, 3))
PAST = st.tuples(st.sampled_from(["first_token", "complete", "abort"]), st.integers(0, 10))
WORLD = st.tuples(st.sampled_from(["up", "down"]), st.sampled_from(NAMES))
STEPS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.01, 0.4, 3.0]), ARRIVALS | ARRIVALS | PAST | PAST | WORLD), max_size=60
)


def made(*, holds_all: bool) -> Router:
    router = Router(own_config("late"), seed=7)
    if holds_all:
        router._gate._bare = None
    for port, name in enumerate(NAMES):
        router.endpoint_up(Endpoint(name, "10.0.0.1", 8000 + port), 0.0)
    return router


def told(answers):
    return [(each.request.id, each.status, [end.name for end in each.picked], each.headers) for each in answers]


def arrived(router, id_, size, kind, now):
    body = b'{"model": "m", "prompt": "%b"}' % (b"%d" % kind * size)
    return router.arrive(router.parse(id_, PATH, {}, body, now), now)


def happened(router, step, number, now):
    match step:
        case ("arrive", size, kind):
            return arrived(router, f"r{number}", size, kind, now)
        case ("up", name):
            return router.endpoint_up(Endpoint(name, "10.0.0.1", 8000 + NAMES.index(name)), now)
        case ("down", name):
            return router.endpoint_down(name, now)
        case (event, back):
            return getattr(router, event)(f"r{number - back}", now)


@given(STEPS)
@settings(max_examples=200, deadline=None)
def test_at_once_or_held_first_is_the_same(steps):
    routers = (made(holds_all=False), made(holds_all=True))
    now = 0.0
    for number, (passed_s, step) in enumerate(steps):
        now += passed_s
        short, long = (happened(router, step, number, now) for router in routers)

        assert told(short) == told(long)
        assert routers[0].inflight() == routers[1].inflight()
        assert routers[0]._pool.table.columns == routers[1]._pool.table.columns

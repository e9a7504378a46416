"""Codes of servers and replicas, each where it belongs."""

from unit.serving.builders import booking, model, planner, replica, server


def refusals(servers, bookings=(), **fields):
    return planner(servers, bookings).plan(model(**fields)).refusals


def test_codes_of_servers_and_replicas():
    found = refusals(
        [server("a", [replica(0, 5), replica(1, 100, ("onnx",))]), server("b", 0), server("c", 1, shared=False)],
        replicas=2,
    )

    assert [(server, index, each.code) for server, index, each in found] == [
        ("a", None, "replicas-short"),
        ("a", 0, "memory-short"),
        ("a", 1, "capability-missing"),
        ("b", None, "no-replicas"),
        ("c", None, "not-shared"),
        ("c", None, "replicas-short"),
    ]


def test_a_server_that_is_refused_as_a_whole_may_have_replicas_that_fit():
    found = refusals([server("a", 2, shared=False)]).servers["a"]

    assert (found.fitting, found.eligible, found.could_run) == (2, False, True)


def test_a_shortage_is_curable_where_enough_would_fit_without_models():
    held = [booking("wine", memory=95)]
    (short,) = (each for _, index, each in refusals([server("a", 1)], held) if index is None)
    assert (short.curable, short.needed, short.free, short.short, short.unit) == (True, 1, 0, 1, "replicas")
    assert short.message == "0 of 1 wanted replicas fit"

    (short,) = (each for _, index, each in refusals([server("a", 1)], held, replicas=2) if index is None)
    assert short.curable is False


def test_every_server_is_there_also_where_nothing_is_refused():
    made = planner([server("a", 1), server("b", 1)])
    asked = model()
    found = made.refusals(asked, made.plan(asked).holdings)

    assert list(found.servers) == ["a", "b"]
    assert list(found) == []

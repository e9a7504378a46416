from random import Random

from bayplan.routing.cost.late_binding import LateBinding
from bayplan.routing.requests.routed_request import Prompt, RoutedRequest
from unit.routing.cost.engines import account


def request(id_, arrived_s=0.0):
    prompt = Prompt(tuple(range(15)))
    return RoutedRequest(id_, prompts=(prompt,), prompt_tokens=15, arrived_s=arrived_s)


def holding(*requests):
    made = account()
    late = LateBinding(made, Random(0))  # noqa: S311
    for each in requests:
        late.hold(each)
    return made, late


def test_requests_are_held_until_there_is_room():
    made, late = holding(request("x"), request("y", 1.0), request("z", 2.0))

    first = late.due(["a"], 2.0)
    assert [(each.id, name) for each, name in first] == [("x", "a"), ("y", "a")]
    assert (len(late), "z" in late, [each.id for each in late.requests]) == (1, True, ["z"])

    made.first_token("x", 3.0)
    made.first_token("y", 4.0)
    assert [each.id for each, _ in late.due(["a"], 4.0)] == ["z"]
    assert late.due(["a"], 4.0) == []


def test_a_request_of_a_lost_endpoint_keeps_its_place():
    made, late = holding(request("old", 0.0), request("new", 5.0))
    late.due(["a"], 5.0)
    late.hold(request("newest", 6.0))

    made.lose("a")
    for each in (request("old", 0.0), request("new", 5.0)):
        late.hold(each)

    assert [each.id for each, _ in late.due(["b"], 7.0)] == ["old", "new"]


def test_what_is_withdrawn_is_given_back_once():
    _, late = holding(request("x"))

    assert late.withdraw("x").id == "x"
    assert late.withdraw("x") is None
    assert late.due(["a"], 0.0) == []


def test_only_allowed_endpoints():
    made = account()
    late = LateBinding(made, Random(0))  # noqa: S311
    late.hold(request("x"), frozenset("b"))

    assert [name for _, name in late.due(["a", "b"], 0.0)] == ["b"]

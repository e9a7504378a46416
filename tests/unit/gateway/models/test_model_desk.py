"""Requests to models by name, through a relay to real sockets."""

import asyncio
import json
from collections import Counter

import pytest

from unit.gateway.models.model_scene import model_scene
from unit.gateway.relay.scene import POST, run

INFER = "/v2/models/iris/infer"

ROUTES = {
    "by the path": (INFER, {}, "/v2/models/iris_2/infer"),
    "with its query": (f"{INFER}?a=b&c", {}, "/v2/models/iris_2/infer?a=b&c"),
    "metadata": ("/v2/models/iris", {}, "/v2/models/iris_2"),
    "a version": ("/v2/models/iris/versions/2/infer", {}, "/v2/models/iris_2/infer"),
    "a header wins over the path": ("/v2/models/other/infer", {"seldon-model": "iris"}, "/v2/models/iris_2/infer"),
    "the name at the servers": (INFER, {"seldon-internal-model": "iris_2"}, "/v2/models/iris_2/infer"),
}  # fmt: skip


@pytest.mark.parametrize(("path", "headers", "asked"), ROUTES.values(), ids=ROUTES)
def test_the_path_names_the_version_and_the_body_stays(path, headers, asked):
    async def scenario():
        async with model_scene() as found:
            found.serve(found.servers[0].place(version=2))
            reply = await found.ask(path, '{"inputs": [1]}', **headers)

            assert reply.status == 200
            assert reply.document == {"model_name": "iris_2", "echo": '{"inputs": [1]}'}
            assert reply.headers[b"x-seldon-route"] == b":iris_2:"
            assert found.servers[0].asked == [asked]

    run(scenario())


REFUSALS = {
    "no such model": ("/v2/models/rose/infer", {}, 404, "there is no model 'rose'; there are: iris"),
    "no such version": ("/v2/models/iris/versions/9/infer", {}, 404, "model 'iris' has no version 9; there are: 1"),
    "a version that is no number": ("/v2/models/iris/versions/x/infer", {}, 404, "has no version 'x'"),
    "an experiment": (INFER, {"seldon-model": "iris.experiment"}, 400, "experiments split traffic"),
    "a pipeline": (INFER, {"seldon-model": "iris.pipeline"}, 400, "pipelines are not run here"),
    "another path": ("/v2/nothing", {}, 404, "/v2/nothing is no path of the V2 protocol"),
    "a load by hand": ("/v2/repository/models/iris/load", {}, 405, "bayplan apply"),
    "a path that leads elsewhere": ("/v2/models/iris/../../repository/index", {}, 404, "leads out of the model"),
}  # fmt: skip


@pytest.mark.parametrize(("path", "headers", "status", "said"), REFUSALS.values(), ids=REFUSALS)
def test_what_is_refused_says_why_in_the_form_of_v2(path, headers, status, said):
    async def scenario():
        async with model_scene() as found:
            found.serve(found.servers[0].place())
            reply = await found.ask(path, **headers)

            assert reply.status == status
            assert said in reply.error
            assert found.servers[0].asked == []

    run(scenario())


def test_other_requests_go_to_the_router():
    async def scenario():
        async with model_scene() as found:
            found.serve(found.servers[0].place())
            first, _, _ = await found.relay.ask(POST)

            assert first == b"HTTP/1.1 200 OK"
            assert found.relay.engines[0].requests

    run(scenario())


def test_without_models_v2_requests_go_to_engines():
    async def scenario():
        async with model_scene() as found:
            assert (await found.ask()).status == 200
            assert found.relay.engines[0].requests[0][0] == b"POST /v2/models/iris/infer HTTP/1.1"

    run(scenario())


def test_replicas_of_all_versions_take_turns_during_a_rollout():
    async def scenario():
        async with model_scene(servers=3) as found:
            one, two, three = found.servers
            found.serve(one.place(version=1), two.place(version=1), three.place(version=2))
            served = Counter([(await found.ask()).model for _ in range(12)])

            assert served == {"iris_1": 8, "iris_2": 4}

    run(scenario())


def test_the_replica_with_fewest_requests_in_flight_is_chosen():
    async def scenario():
        async with model_scene(servers=2) as found:
            slow, quick = found.servers
            slow.held = asyncio.Event()
            found.serve(slow.place(), quick.place())
            first = asyncio.ensure_future(found.ask())
            await found.relay.until(lambda: bool(slow.asked))
            for _ in range(4):
                assert (await found.ask()).status == 200
            slow.held.set()
            assert (await first).status == 200

            assert (len(slow.asked), len(quick.asked)) == (1, 4)

    run(scenario())


def test_draining_replicas_serve_only_while_no_other_does():
    async def scenario():
        async with model_scene(servers=2) as found:
            leaving, staying = found.servers
            found.serve(leaving.place(state="draining"))
            assert (await found.ask()).status == 200
            found.serve(leaving.place(state="draining"), staying.place())
            for _ in range(3):
                assert (await found.ask()).status == 200

            assert (len(leaving.asked), len(staying.asked)) == (1, 3)

    run(scenario())


@pytest.mark.parametrize("trouble", ["reset", "500", "503", "404"])
def test_a_failure_before_the_first_byte_is_tried_elsewhere(trouble):
    async def scenario():
        async with model_scene(servers=2) as found:
            bad, good = found.servers
            bad.trouble = trouble
            found.serve(bad.place(agent=None), good.place(version=2))
            for _ in range(3):
                reply = await found.ask()
                assert (reply.status, reply.model) == (200, "iris_2")

            assert bad.asked

    run(scenario())


def test_an_answer_that_nobody_can_better_is_passed_on():
    async def scenario():
        async with model_scene() as found:
            found.servers[0].trouble = "500"
            found.serve(found.servers[0].place())
            reply = await found.ask()

            assert (reply.status, reply.error) == (500, "trouble")

    run(scenario())


def test_a_request_waits_for_a_load_that_is_under_way():
    async def scenario():
        async with model_scene() as found:
            server = found.servers[0]
            found.serve(server.place(state="load-requested", is_loaded=False))
            waiting = asyncio.ensure_future(found.ask())
            await found.relay.until(lambda: found.desk.waiting() == {"iris": 1})
            found.serve(server.place())

            assert (await waiting).status == 200

    run(scenario())


def test_a_request_waits_while_the_only_server_is_away():
    async def scenario():
        async with model_scene() as found:
            server = found.servers[0]
            found.serve(server.place(is_loaded=False, rest=None))
            waiting = asyncio.ensure_future(found.ask())
            await found.relay.until(lambda: found.desk.waiting() == {"iris": 1})
            found.serve(server.place())

            assert (await waiting).status == 200

    run(scenario())


def test_a_client_that_leaves_waits_no_more():
    async def scenario():
        async with model_scene() as found:
            found.serve(found.servers[0].place(state="loading", is_loaded=False))
            line = await found.relay.connect()
            await line.send(b"GET /v2/models/iris HTTP/1.1\r\nhost: x\r\n\r\n")
            await found.relay.until(lambda: found.desk.waiting() == {"iris": 1})
            line.close()
            await found.relay.until(lambda: not found.desk.live())

    run(scenario())


UNSERVED = {
    "never scheduled": ("ScheduleFailed", "no-matching-server", (), "ScheduleFailed: no-matching-server"),
    "a load that failed": (
        "ModelFailed", "", ({"state": "load-failed", "is_loaded": False, "message": "no such file"},),
        "its load failed on mlserver-0: no such file",
    ),
    "on its way out": ("ModelTerminating", "", ({"state": "unload-requested"},), "its replicas are unload-requested"),
}  # fmt: skip


@pytest.mark.parametrize(("state", "reason", "places", "said"), UNSERVED.values(), ids=UNSERVED)
def test_a_model_that_is_not_coming_is_refused_at_once(state, reason, places, said):
    async def scenario():
        async with model_scene() as found:
            found.declare("iris", state, reason)
            found.serve(*(found.servers[0].place(**each) for each in places))
            reply = await found.ask()

            assert reply.status == 503
            assert reply.headers[b"retry-after"] == b"1"
            assert reply.error == f"model 'iris' is not served: {said}"

    run(scenario())


def test_waiting_has_a_limit():
    async def scenario():
        async with model_scene(longest_wait_s=0.05) as found:
            found.declare("iris")
            reply = await found.ask()

            assert reply.status == 503
            assert reply.error == "model 'iris' is not served after 0.05 s: ModelProgressing"

    run(scenario())


def test_readiness_is_known_without_asking_and_without_waiting():
    async def scenario():
        async with model_scene() as found:
            server = found.servers[0]
            found.serve(server.place(state="loading", is_loaded=False))
            assert (await found.ask("/v2/models/iris/ready")).status == 503
            found.serve(server.place(is_resident=False))
            assert (await found.ask("/v2/models/iris/ready")).document == {"name": "iris", "ready": True}
            assert server.asked == []

    run(scenario())


def test_a_model_that_was_evicted_is_loaded_back_once_for_all_who_ask():
    async def scenario():
        async with model_scene() as found:
            server = found.servers[0]
            found.serve(server.place(is_resident=False, may_evict=True))
            replies = await asyncio.gather(*(found.ask() for _ in range(3)))

            assert [each.status for each in replies] == [200, 200, 200]
            assert server.ensured == ["iris_1"]

    run(scenario())


def test_an_eviction_that_the_gateway_has_not_heard_of():
    async def scenario():
        async with model_scene() as found:
            server = found.servers[0]
            found.serve(server.place(may_evict=True))
            server.loaded.clear()

            assert (await found.ask()).status == 200
            assert server.ensured == ["iris_1"]

    run(scenario())


def test_an_agent_that_cannot_load_it_back():
    async def scenario():
        async with model_scene(longest_wait_s=0.05) as found:
            found.servers[0].refusal = "no memory is free"
            found.serve(found.servers[0].place(is_resident=False))
            reply = await found.ask()

            assert reply.status == 503
            assert reply.error.endswith("mlserver-0 cannot load it: no memory is free")

    run(scenario())


def test_agents_hear_of_uses_the_last_one_at_the_end():
    async def scenario():
        async with model_scene() as found:
            server = found.servers[0]
            found.serve(server.place("a", may_evict=True), server.place("b", may_evict=True))
            for name in ("a", "b", "a"):
                await found.ask(f"/v2/models/{name}/infer")
            await found.relay.until(lambda: bool(server.used))

            assert server.used == [["b_1", "a_1"]]

    run(scenario())


def test_what_the_gateway_answers_itself():
    async def scenario():
        async with model_scene() as found:
            server = found.servers[0]
            found.declare("late", "ScheduleFailed", "replicas-short")
            found.serve(server.place(version=1), server.place(version=2, state="loading", is_loaded=False))

            assert (await found.ask("/v2")).document["name"] == "bayplan"
            assert (await found.ask("/v2/health/live")).document == {"live": True}
            assert (await found.ask("/v2/health/ready")).document == {"ready": True}
            assert (await found.ask("/v2/repository/index")).document == [
                {"name": "iris", "version": "1", "state": "READY", "reason": ""},
                {"name": "iris", "version": "2", "state": "LOADING", "reason": "its replicas are available, loading"},
                {"name": "late", "version": "", "state": "UNAVAILABLE", "reason": "ScheduleFailed: replicas-short"},
            ]

    run(scenario())


def test_requests_that_wait_are_refused_when_the_relay_stops():
    async def scenario():
        async with model_scene() as found:
            found.declare("iris")
            waiting = asyncio.ensure_future(found.ask())
            await found.relay.until(lambda: found.desk.waiting() == {"iris": 1})
            found.desk.shutdown()
            reply = await waiting

            assert (reply.status, reply.error) == (503, "the gateway is stopping")

    run(scenario())


def test_metrics_by_model():
    async def scenario():
        async with model_scene() as found:
            found.serve(found.servers[0].place())
            await found.ask()
            await found.ask("/v2/models/made-up-by-a-client/infer")
            text = (await found.relay.admin("/metrics"))[2].decode()

            labels = 'model="iris",model_internal="iris_1",server="mlserver",server_replica="0",method_type="rest"'
            assert f'seldon_model_infer_total{{{labels},code="200"}} 1' in text
            assert "made-up-by-a-client" not in text

    run(scenario())


def test_operators_see_models_with_their_places():
    async def scenario():
        async with model_scene() as found:
            found.serve(found.servers[0].place())
            await found.ask()
            await found.ask("/v2/models/iris/versions/9/infer")
            shown = json.loads((await found.relay.admin("/models"))[2])

            place = {"version": 1, "replica": "mlserver-0", "state": "available", "loaded": True, "resident": True}
            assert shown["models"] == [
                {"name": "iris", "running": 0, "waiting": 0, "answered": 1, "failed": 0, "places": [place]}
            ]

    run(scenario())

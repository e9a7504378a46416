"""Two processes place the same models on the same servers at the same time: nothing is booked twice."""

import asyncio
import os
import socket
import sys
from pathlib import Path

import uvicorn

from bayplan.api.access.roles import LOCAL
from bayplan.api.admission import Admission
from bayplan.api.app import build_app
from bayplan.api.backend import Backend
from bayplan.control.collections import NAMESPACES, SERVED_MODELS, SERVER_REPLICAS, SERVERS
from bayplan.control.resources.registry import REGISTRY
from bayplan.library.invariants.checks import check_invariants
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from unit.control.serving.hall import model, server

ROUNDS = int(os.environ.get("BAYPLAN_ROUNDS") or 8)
RIVAL = Path(__file__).with_name("rival.py")


def row(name, index, namespace):
    spec = {
        "server": name, "index": index, "pod": f"{name}-{index}", "capabilities": ["mlserver", "sklearn"],
        "memory": 200, "models": [],
    }  # fmt: skip
    return {
        "apiVersion": "bayplan.io/v1alpha1",
        "kind": "ServerReplica",
        "metadata": {"name": f"{name}-{index}", "namespace": namespace},
        "spec": spec,
        "status": {"connected": True},
    }


async def prepare(store, namespace):
    """Two servers of two replicas that hold two models each, and six models, one of them on two replicas."""
    await store.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    for name in ("a", "b"):
        for collection, each in ((SERVERS, server(name, 2, "200Mi")), (SERVER_REPLICAS, row(name, 0, namespace))):
            each["metadata"]["namespace"] = namespace
            await store.create(collection, each)
        await store.create(SERVER_REPLICAS, row(name, 1, namespace))
    for number in range(6):
        each = model(f"m{number}", replicas=2 if number == 0 else 1)
        each["metadata"]["namespace"] = namespace
        await store.create(SERVED_MODELS, each)


async def judge(store, namespace):
    rows = [each.document() for each in (await store.list(SERVER_REPLICAS, namespace)).items]
    models = [each.document() for each in (await store.list(SERVED_MODELS, namespace)).items]
    verdicts = {each["id"]: each["violations"] for each in check_invariants(rows)["invariants"]}
    assert (verdicts["I1"], verdicts["I2"]) == ([], [])
    booked = {(each["model"], each_row["spec"]["server"]) for each_row in rows for each in each_row["spec"]["models"]}
    assert booked == {(each["metadata"]["name"], each["status"]["server"]) for each in models}
    assert sum(len(each["spec"]["models"]) for each in rows) == 7


async def contest(rounds):
    async with EmbeddedStore(MemoryShelf()) as store:
        app = build_app(Backend(store, REGISTRY, Admission()))

        async def local(scope, receive, send):
            scope.setdefault("state", {})["user"] = LOCAL
            await app(scope, receive, send)

        listening = socket.create_server(("127.0.0.1", 0))
        settings = {"lifespan": "off", "log_config": None, "access_log": False, "ws": "none"}
        http = uvicorn.Server(
            uvicorn.Config(local, timeout_keep_alive=60, **settings)
        )  # longer than clients keep theirs
        serving = asyncio.create_task(http.serve([listening]))
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
        rivals = [await asyncio.create_subprocess_exec(sys.executable, str(RIVAL), url, **pipes) for _ in range(2)]
        try:
            assert [await each.stdout.readline() for each in rivals] == [b"ready\n"] * 2
            for number in range(rounds):
                await prepare(store, f"round-{number}")
                for each in rivals:
                    each.stdin.write(f"round-{number}\n".encode())
                assert [await each.stdout.readline() for each in rivals] == [b"done\n"] * 2
                await judge(store, f"round-{number}")
        finally:
            for each in rivals:
                each.stdin.close()
            await asyncio.gather(*(each.wait() for each in rivals))
            http.should_exit = True
            await serving


def test_two_processes_on_one_store():
    asyncio.run(contest(ROUNDS))

"""The agent of one server replica, beside a simulated server in the same process."""

import asyncio
import os
import socket

import pytest
import uvicorn

from bayplan.runtimes.servers.patience import Patience
from bayplan.runtimes.servers.replica_agent import ReplicaAgent
from bayplan.runtimes.servers.server_process import ServerProcess
from bayplan.sim.model_server.server import ModelServer
from bayplan.sim.model_server.settings import Settings

FAST = Patience(drain_s=0.0, first_pause_s=0.001, stay_s=0.0)
LONGEST_S = 30


class Scene:
    """A server, its agent, and what the agent says."""

    def __init__(self, folder, **settings):
        self._source = folder / "source"
        self._source.mkdir()
        self._root = folder / "models"
        self._root.mkdir()
        self.app = ModelServer(self._root, Settings(load_s=0.0, **settings))
        self.said, self._generation = [], 0

    async def __aenter__(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self._server = uvicorn.Server(uvicorn.Config(self.app, lifespan="off", log_config=None, ws="none"))
        self._serving = asyncio.create_task(self._server._serve([listener]))
        self.process = ServerProcess("127.0.0.1", listener.getsockname()[1], self._root, os.getpid(), 0.0)
        self.agent = ReplicaAgent(self._document(()), "", lambda _: None, lambda _, said: self.said.append(said), FAST)
        self.agent.runs_in(self.process)
        return self

    async def __aexit__(self, *_):
        await self.agent.close()
        self._server.should_exit = True
        await self._serving

    def _document(self, models, memory=100):
        metadata = {"name": "s-0", "namespace": "default", "uid": "u"}
        return {"metadata": metadata, "spec": {"backend": "simulated", "memory": memory, "models": list(models)}}

    def book(self, **states):
        """Each call is a new request."""
        self._generation += 1
        shared = {"generation": self._generation, "storageUri": str(self._source), "memory": 60}
        self.agent.update(self._document({"name": name, "state": state, **shared} for name, state in states.items()))

    def answers(self):
        return {each["name"]: (each["state"], each["resident"]) for each in self.agent.status()["models"]}

    async def until(self, **answers):
        async with asyncio.timeout(LONGEST_S):
            while self.answers() != answers:
                await asyncio.sleep(0.005)


def test_a_load_that_fails_at_first_is_tried_again(tmp_path):
    async def run():
        async with Scene(tmp_path, fail_loads="flaky", failures=2) as scene:
            scene.book(flaky="load-requested")
            await scene.until(flaky=("loaded", True))
            return scene.agent.status()["models"][0]["attempts"], scene.said

    assert asyncio.run(run()) == (3, [])


def test_after_five_attempts_it_has_failed_until_it_is_asked_for_again(tmp_path):
    async def run():
        async with Scene(tmp_path, fail_loads="flaky", failures=5) as scene:
            scene.book(flaky="load-requested")
            await scene.until(flaky=("failed", False))
            assert await scene.agent.ensure("flaky") == (503, scene.agent.status()["models"][0]["message"])
            assert scene.said[0].startswith("model flaky is not loaded: the server refuses")
            scene.book(flaky="load-failed")
            await scene.until()
            scene.book(flaky="load-requested")
            await scene.until(flaky=("loaded", True))

    asyncio.run(run())


def test_an_unload_that_fails_is_tried_again_when_it_is_asked_for(tmp_path):
    async def run():
        async with Scene(tmp_path, fail_unloads="stuck") as scene:
            scene.book(stuck="load-requested")
            await scene.until(stuck=("loaded", True))
            scene.book(stuck="unload-requested", never="unload-requested")
            await scene.until(stuck=("unload-failed", True), never=("unloaded", False))
            scene.book(stuck="unload-failed")
            await scene.until(stuck=("unload-failed", True))
            scene.app.repository._settings = Settings()
            scene.book(stuck="unload-requested")
            await scene.until(stuck=("unloaded", False))

    asyncio.run(run())


def test_models_take_turns_where_one_alone_fits(tmp_path):
    async def run():
        async with Scene(tmp_path) as scene:
            scene.book(a="available")
            await scene.until(a=("loaded", True))
            scene.book(a="available", b="load-requested")
            await scene.until(a=("loaded", False), b=("loaded", True))
            assert await scene.agent.ensure("a") == (200, "")
            assert scene.answers() == {"a": ("loaded", True), "b": ("loaded", False)}

    asyncio.run(run())


@pytest.mark.parametrize("state", ["available", "draining"])
def test_a_server_that_was_started_anew_gets_its_models(tmp_path, state):
    async def run():
        async with Scene(tmp_path) as scene:
            scene.book(a=state)
            await scene.until(a=("loaded", True))
            scene.agent.runs_in(None)
            assert scene.answers() == {"a": ("loaded", False)}
            assert not scene.agent.status()["connected"]
            scene.app.repository._states.clear()
            scene.agent.runs_in(scene.process)
            await scene.until(a=("loaded", True))

    asyncio.run(run())

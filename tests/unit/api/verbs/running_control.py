"""An API with the loops beside it, over a store in memory and in the time of this machine."""

import asyncio
from contextlib import asynccontextmanager

from bayplan.api.admission import Admission
from bayplan.api.app import build_app
from bayplan.api.backend import Backend
from bayplan.control.collections import NODES, PODS
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.store import Key
from bayplan.control.system import ControlSystem
from served_api import ServedApi
from unit.control.scheduling.scheduler import nodes


class ControlledApi(ServedApi):
    """`backend.control` are loops that run."""

    def __init__(self, archive=None):
        super().__init__()
        self.control = ControlSystem(self.store, archive=archive)
        self.backend = Backend(self.store, REGISTRY, Admission(), control=self.control)
        self.app = build_app(self.backend)

    async def placed(self, *names):
        """Until the Pods of these names are bound."""
        async with asyncio.timeout(60):
            for name in names:
                while not (await self.store.get(Key(PODS, "default", name))).document()["spec"].get("nodeName"):
                    await asyncio.sleep(0.01)
            while any(each["outcome"] == "reserved" for each in self.control.records.newest()):
                await asyncio.sleep(0.01)


@asynccontextmanager
async def controlled(*workers, archive=None):
    api = ControlledApi(archive)
    async with api.store:
        for each in nodes(*workers):
            await api.store.create(NODES, each)
        await api.control.start()
        try:
            yield api
        finally:
            await api.control.stop()

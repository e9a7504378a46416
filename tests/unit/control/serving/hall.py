"""The controllers at work, with agents that do at once what bookings ask for, or what a test says instead."""

import asyncio
from contextlib import asynccontextmanager

from bayplan.control.collections import PODS, SERVED_MODELS, SERVER_REPLICAS, SERVERS
from bayplan.control.store import Key
from unit.control.controllers.lab import lab

LOADED = ("load-requested", "loading", "loaded", "available", "draining")


def server(name="mlserver", replicas=1, memory="1Gi", **spec):
    resources = {"requests": {"memory": memory}}
    pod = {"containers": [{"name": "mlserver", "image": "mlserver", "resources": resources}]}
    body = {"serverConfig": "mlserver", "replicas": replicas, "podSpec": pod, **spec}
    return {"apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Server", "metadata": {"name": name}, "spec": body}


def model(name="iris", memory="100Mi", **spec):
    body = {"storageUri": "file:///models/iris", "requirements": ["sklearn"], "memory": memory, **spec}
    return {"apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Model", "metadata": {"name": name}, "spec": body}


class Hall:
    """A lab with servers; `failing` are names of bookings whose loads fail, `deaf` servers replicas that do nothing."""

    def __init__(self, it):
        self.it, self.failing, self.deaf, self.off = it, set(), set(), set()
        self.apply, self.delete, self.store = it.apply, it.delete, it.store

    async def rows(self):
        found = await self.it.list(SERVER_REPLICAS)
        return {row["metadata"]["name"]: row for row in found}

    async def bookings(self):
        """By server replica, the name and state of each booking."""
        rows = await self.rows()
        return {
            name: {each["name"]: each["state"] for each in row["spec"].get("models", ())}
            for name, row in sorted(rows.items())
            if row["spec"].get("models")
        }

    async def model(self, name="iris"):
        return await self.it.get(SERVED_MODELS, name)

    async def server(self, name="mlserver"):
        return await self.it.get(SERVERS, name)

    async def state(self, name="iris"):
        """Ready or not, and the state as the condition tells it."""
        found = (await self.model(name))["status"]["conditions"]
        ready = next(each for each in found if each["type"] == "ModelReady")
        return ready["status"], ready["message"]

    async def settle(self, rounds=8):
        """Pods run, agents answer, loops decide, until nothing changes any more."""
        for _ in range(rounds):
            await self.it.settle(0.5)
            await self.it.run_all()
            await self.it.finish_leaving()
            for row in (await self.rows()).values():
                await self.answer(row)
        await self.it.settle(0.5)

    async def answer(self, row):
        name = row["metadata"]["name"]
        if name in self.deaf:
            return
        status = self._status(row) if name not in self.off else {"connected": False}
        if status != row.get("status"):
            key = Key(SERVER_REPLICAS, row["metadata"]["namespace"], name)
            await self.store.patch(key, lambda live: {**live, "status": status}, subresource="status")

    def _status(self, row):
        told = []
        for each in row["spec"].get("models", ()):
            if each["state"] == "load-failed":
                continue
            gone = "unloaded" if each["state"] == "unload-requested" else None
            state = gone or ("failed" if each["name"] in self.failing else "loaded")
            told.append({"name": each["name"], "state": state, "generation": each["generation"], "instances": 1})
        return {"connected": True, "rest": "127.0.0.1:1", "models": told}


@asynccontextmanager
async def hall(**options):
    async with lab(**options) as it:
        yield Hall(it)


__all__ = ["PODS", "asyncio"]

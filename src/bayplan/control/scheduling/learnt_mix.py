"""The mix of workloads, learnt from what arrives: after enough of them, `pack` keeps room for what is likely to come.

What was learnt is kept in a ConfigMap, so that it survives a restart.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import orjson

from bayplan.control.collections import CONFIG_MAPS
from bayplan.control.store import Key
from bayplan.control.store_errors import NotFoundError, StoreError
from bayplan.framework.errors import BayplanError
from bayplan.library.mix_json import mix_from_json, mix_to_json
from bayplan.placement.asks.from_shape import ask_tiers
from bayplan.placement.packing.mix import Mix

if TYPE_CHECKING:
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.control.store import Object, Store
    from bayplan.placement.asks.sized_workload import SizedWorkload

NAMESPACE, NAME = "kube-system", "bayplan-learnt-mix"
_FIELD = "mix"
EVERY_S = 60.0
"""What was learnt is written this often, where there is anything new."""

_log = logging.getLogger("bayplan.scheduling")


class LearntMix:
    """Hears of each workload once. `load` before the first decision."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.mix = Mix()
        self._written = 0
        self._writer: asyncio.Task[None] | None = None

    async def load(self) -> None:
        """Read what was learnt before; what cannot be read is learnt anew."""
        try:
            stored = (await self._store.get(Key(CONFIG_MAPS, NAMESPACE, NAME))).document()
            self.mix = mix_from_json(orjson.loads(stored["data"][_FIELD]))
        except NotFoundError:
            return
        except (BayplanError, orjson.JSONDecodeError, KeyError, TypeError) as error:
            _log.warning("what was learnt about workloads cannot be read, and is learnt anew: %s", type(error).__name__)
        self._written = self.mix.seen

    def start(self) -> None:
        self._writer = asyncio.create_task(self._keep(), name="learnt mix")

    async def stop(self) -> None:
        """Write what is new, then stop."""
        if self._writer is not None:
            self._writer.cancel()
            await asyncio.gather(self._writer, return_exceptions=True)
        await self.write()

    def arrived(self, sized: SizedWorkload, snapshot: Snapshot) -> None:
        """A workload has come: what one of its replicas asks for, each role once."""
        for role in sized.roles:
            try:
                asks = ask_tiers(role, snapshot, max(1, role.replicas)).asks
            except BayplanError:
                continue  # its plan says what is wrong with it
            if asks:
                self.mix.observe(asks[0])

    async def write(self) -> None:
        """Keep what was learnt, if there is anything new."""
        if self.mix.seen == self._written:
            return
        seen, text = self.mix.seen, orjson.dumps(mix_to_json(self.mix)).decode()
        try:
            await self._write(text)
            self._written = seen
        except StoreError as error:
            _log.warning("what was learnt about workloads is not kept: %s", error)

    async def _write(self, text: str) -> None:
        def with_mix(stored: Object) -> Object:
            stored["data"] = {_FIELD: text}
            return stored

        try:
            await self._store.patch(Key(CONFIG_MAPS, NAMESPACE, NAME), with_mix)
        except NotFoundError:
            metadata = {"name": NAME, "namespace": NAMESPACE}
            document: Object = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
            await self._store.create(CONFIG_MAPS, with_mix(document))

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            await self.write()

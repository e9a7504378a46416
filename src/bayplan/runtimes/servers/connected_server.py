"""A server that answers: models are brought into its memory, and taken out of it."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from typing import TYPE_CHECKING

from bayplan.runtimes.servers.layouts.layout import layout_of
from bayplan.runtimes.servers.load_errors import FinalLoadError, LoadError
from bayplan.runtimes.servers.model_repository import ModelRepository
from bayplan.runtimes.servers.storage.artefacts import bring

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bayplan.runtimes.servers.bookings import Booking
    from bayplan.runtimes.servers.model_record import ModelRecord
    from bayplan.runtimes.servers.patience import Patience
    from bayplan.runtimes.servers.residence import Residence
    from bayplan.runtimes.servers.server_process import ServerProcess

_log = logging.getLogger("bayplan.worker")


class ConnectedServer:
    """One run of a server. Whether a model is in memory is written into its record, and told, before it is not."""

    def __init__(
        self,
        process: ServerProcess,
        backend: str,
        records: Mapping[str, ModelRecord],
        residence: Residence,
        patience: Patience,
        tell: Callable[[], None],
    ) -> None:
        self.process = process
        self._lay_out = layout_of(backend)
        self._records, self._residence, self._patience, self._tell = records, residence, patience, tell
        self._repository = ModelRepository(f"http://{process.rest}")
        self._turn = asyncio.Lock()

    async def loaded(self) -> set[str]:
        """The names of the models in its memory."""
        return await self._repository.loaded()

    async def close(self) -> None:
        await self._repository.close()

    def has_files(self, name: str) -> bool:
        return (self.process.repository / name).is_dir()

    async def load(self, record: ModelRecord, booking: Booking) -> None:
        """Bring a model into memory, where others may have to make room; LoadError says why not."""
        self._check(booking)
        if not record.has_files:
            folder, env = self.process.repository / booking.name, self.process.env
            record.instances = await asyncio.to_thread(
                bring, booking, folder, lambda part: self._lay_out(part, booking, env)
            )
            record.has_files = True
        async with self._turn:  # one at a time, because each may evict what the other loads
            await self._make_room(booking)
            self._residence.add(booking.name, booking.memory_mib, time.monotonic())
            try:
                await self._repository.load(booking.name)
            except BaseException:
                self._residence.remove(booking.name)
                raise
            self._residence.use(booking.name, time.monotonic())
            record.is_resident = True

    async def take_out(self, record: ModelRecord) -> None:
        """Take a model out of memory, and its files out of the repository."""
        if record.is_resident:
            await self._repository.unload(record.name)
            record.is_resident = False
            self._residence.remove(record.name)
        if record.has_files:
            await asyncio.to_thread(shutil.rmtree, self.process.repository / record.name, ignore_errors=True)
            record.has_files = False

    def _check(self, booking: Booking) -> None:
        if not booking.has_usable_name:
            raise FinalLoadError(f"{booking.name[:80]!r} is no name for a folder; rename the model")
        if not self._residence.could_hold(booking.memory_mib):
            needed, there = booking.memory_mib, self._residence.memory_mib
            raise FinalLoadError(f"it needs {needed} MiB, and the server replica has {there} MiB for models")

    async def _make_room(self, booking: Booking) -> None:
        """Evict models that were used longest ago, until there is room; one that was just used gets a moment."""
        deadline_s = time.monotonic() + self._patience.stay_s
        while victims := self._residence.victims(booking.memory_mib):
            now_s = time.monotonic()
            stays_until_s = min(deadline_s, self._residence.used_s(victims[0]) + self._patience.stay_s)
            if now_s < stays_until_s:
                await asyncio.sleep(stays_until_s - now_s)
            else:
                await self._evict(victims[0], booking.name)

    async def _evict(self, name: str, newcomer: str) -> None:
        """Take a model out of memory and keep its files; requests for it are told first where it is not."""
        victim = self._records.get(name)
        if victim is not None:
            victim.is_resident = False
            self._tell()
        _log.info("model %s makes room for %s", name, newcomer)
        try:
            await self._repository.unload(name)
        except LoadError as error:
            if victim is not None:
                victim.is_resident = True
            raise LoadError(f"model {name}, which should make room for it, cannot be unloaded: {error}") from None
        self._residence.remove(name)

"""One server replica on this worker: its models are loaded and unloaded until they are as its ServerReplica says."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from bayplan.runtimes.servers.bookings import Wish, read_bookings
from bayplan.runtimes.servers.connected_server import ConnectedServer
from bayplan.runtimes.servers.load_errors import FinalLoadError, LoadError, ServerGoneError
from bayplan.runtimes.servers.model_record import ModelRecord, State
from bayplan.runtimes.servers.patience import Patience
from bayplan.runtimes.servers.residence import Residence

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from bayplan.control.store import Object
    from bayplan.runtimes.servers.bookings import Booking
    from bayplan.runtimes.servers.server_process import ServerProcess

_log = logging.getLogger("bayplan.worker")


class ReplicaAgent:
    """Carries out the bookings of one ServerReplica.

    `changed` is called when its status is worth a report, `failed` with a sentence for people about a model that cannot
    be loaded or unloaded.
    """

    def __init__(
        self,
        replica: Object,
        url: str,
        changed: Callable[[ReplicaAgent], None],
        failed: Callable[[ReplicaAgent, str], None],
        patience: Patience | None = None,
    ) -> None:
        self._url, self._changed, self._failed = url, changed, failed
        self._patience = patience or Patience()
        self._process: ServerProcess | None = None
        self._server: ConnectedServer | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._records: dict[str, ModelRecord] = {}
        self._residence = Residence()
        self._moved = asyncio.Event()
        self._is_closed = False
        self.update(replica)

    # what it is told

    def update(self, replica: Object) -> None:
        """A newer document of the same ServerReplica."""
        self.document = replica
        self._bookings = read_bookings(replica)
        memory = replica["spec"].get("memory")
        self._residence.memory_mib = None if memory is None else int(memory)
        self._act()
        self._wake()

    def runs_in(self, process: ServerProcess | None) -> None:
        """The server that answers now; None where there is none."""
        if process == self._process or self._is_closed:
            return
        self._process = process
        self._disconnect()
        if process is not None:
            self._connecting = asyncio.create_task(self._connect(process))
        self._tell()

    def use(self, names: Iterable[str]) -> None:
        """These models were used."""
        now_s = time.monotonic()
        for each in names:
            self._residence.use(each, now_s)

    async def close(self) -> None:
        """Leave the server as it is, and do nothing more about it."""
        self._is_closed = True
        tasks = [each.task for each in self._records.values() if each.task is not None]
        self._disconnect()
        await asyncio.gather(*tasks, *self._closing, return_exceptions=True)

    # what it tells

    def status(self) -> dict[str, Any]:
        """The status of the ServerReplica."""
        process = self._process
        return {
            "connected": self._server is not None,
            "rest": None if process is None else process.rest,
            "grpc": None if process is None else process.grpc,
            "agent": self._url,
            "usedMib": None if process is None else process.used_mib(),
            "models": [each.document() for each in self._records.values()],
        }

    async def ensure(self, name: str) -> tuple[int, str]:
        """Until a model is in memory: 200, or 404 where it is not booked here, or 503 with the reason."""
        end_s = time.monotonic() + self._patience.ensure_s
        while (booking := self._bookings.get(name)) is not None and booking.wish is Wish.SERVED:
            record = self._records.get(name)
            if record is not None and record.is_resident:
                self._residence.use(name, time.monotonic())
                return 200, ""
            if record is not None and record.state is State.FAILED:
                return 503, record.message
            if record is not None and record.state is State.LOADED and not record.is_busy and self._server is not None:
                self._start(record, self._load(record, booking, self._server))
            try:
                async with asyncio.timeout(end_s - time.monotonic()):
                    await self._moved.wait()
            except TimeoutError:
                return 503, f"it is still being loaded after {self._patience.ensure_s:g} s"
        return 404, f"no model {name[:80]!r} is booked here"

    # the server

    async def _connect(self, process: ServerProcess) -> None:
        """Read from a server what it has loaded, until it answers."""
        backend = str(self.document["spec"].get("backend") or "")
        server = ConnectedServer(process, backend, self._records, self._residence, self._patience, self._tell)
        try:
            loaded = await self._loaded(server)
        except asyncio.CancelledError:
            self._later(server.close())
            raise
        for record in self._records.values():
            record.has_files = server.has_files(record.name)
        for name in loaded:
            self._found(name, server)
        self._server, self._connecting = server, None
        self._act()
        self._tell()

    async def _loaded(self, server: ConnectedServer) -> set[str]:
        while True:
            try:
                return await server.loaded()
            except LoadError as error:
                _log.warning("server %s cannot be used: %s", self.document["metadata"]["name"], error)
                await asyncio.sleep(self._patience.first_pause_s)

    def _found(self, name: str, server: ConnectedServer) -> None:
        """A model that a server has in memory: one of ours, or one whose folder an agent put there before."""
        if name not in self._records:
            if not server.has_files(name):
                return  # the server brought it along
            self._records[name] = ModelRecord(name, -1, State.LOADED, has_files=True)
        self._records[name].is_resident = True
        booking = self._bookings.get(name)
        self._residence.add(name, 0 if booking is None else booking.memory_mib, time.monotonic())

    def _disconnect(self) -> None:
        """No server, no models in memory; what was being done is begun anew with the next one."""
        if self._connecting is not None:
            self._connecting.cancel()
        server, self._server, self._connecting = self._server, None, None
        for each in self._records.values():
            each.is_resident = False
            if each.task is not None:
                each.task.cancel()
        self._residence.clear()
        if server is not None:
            self._later(server.close())

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    # the models

    def _act(self) -> None:
        """Begin whatever is to be done; what is being done already is looked at again when it is over."""
        server = self._server
        if server is None or self._is_closed:
            return
        for booking in self._bookings.values():
            self._act_on(booking, server)
        for record in list(self._records.values()):
            wanted = self._bookings.get(record.name)
            if (wanted is None or wanted.wish is Wish.GONE) and not record.is_busy:
                self._start(record, self._forget(record, server))

    def _act_on(self, booking: Booking, server: ConnectedServer) -> None:
        record = self._records.get(booking.name)
        if booking.wish in (Wish.GONE, Wish.KEPT) or (record is not None and record.is_busy):
            return
        if record is None:
            record = self._records[booking.name] = ModelRecord(booking.name, -1, State.UNLOADED)
        is_new = record.generation != booking.generation
        if is_new:
            record.generation, record.attempts, record.message = booking.generation, 0, ""
        if booking.wish is Wish.SERVED:
            self._serve(record, booking, server, is_new=is_new)
        else:
            self._remove(record, server, is_new=is_new)

    def _serve(self, record: ModelRecord, booking: Booking, server: ConnectedServer, *, is_new: bool) -> None:
        if record.is_resident:
            if record.state is not State.LOADED or is_new:
                record.state = State.LOADED
                self._tell()
        elif is_new or record.state is State.LOADING:
            record.state = State.LOADING
            if is_new:
                record.has_files = False  # they may have changed since the last request
            self._tell()
            self._start(record, self._load(record, booking, server))
        elif record.state is State.LOADED and self._residence.has_room(booking.memory_mib):
            self._start(record, self._load(record, booking, server))  # its server was started anew

    def _remove(self, record: ModelRecord, server: ConnectedServer, *, is_new: bool) -> None:
        if record.state is State.UNLOADED or (record.state is State.UNLOAD_FAILED and not is_new):
            if is_new:
                self._tell()
            return
        record.state = State.UNLOADING
        self._tell()
        self._start(record, self._unload(record, server))

    def _start(self, record: ModelRecord, work: Coroutine[Any, Any, None]) -> None:
        record.task = asyncio.create_task(self._done(record, work), name=f"model {record.name}")

    async def _done(self, record: ModelRecord, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except ServerGoneError as error:
            record.message = str(error)  # its next run is asked again
            await asyncio.sleep(self._patience.first_pause_s)
        finally:
            record.task = None
            self._tell()
        self._act()

    async def _load(self, record: ModelRecord, booking: Booking, server: ConnectedServer) -> None:
        """Load a model, with a bounded number of attempts; the pauses end early when it is not wanted any more."""
        pause_s = self._patience.first_pause_s
        for attempt in range(1, self._patience.attempts + 1):
            record.attempts = attempt
            try:
                await server.load(record, booking)
            except ServerGoneError:
                raise
            except LoadError as error:
                record.message = str(error)
                if isinstance(error, FinalLoadError) or attempt == self._patience.attempts:
                    record.state = State.FAILED
                    self._failed(self, f"model {record.name} is not loaded: {error}")
                    return
                self._tell()
            else:
                record.state, record.message = State.LOADED, ""
                return
            if await self._is_unwanted(booking, pause_s):
                return
            pause_s *= 2

    async def _is_unwanted(self, booking: Booking, within_s: float) -> bool:
        """Whether a model is no longer to be loaded by this request; known at the latest after that time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while self._is_wanted(booking):
                    await self._moved.wait()
        return not self._is_wanted(booking)

    def _is_wanted(self, booking: Booking) -> bool:
        found = self._bookings.get(booking.name)
        return found is not None and found.wish is Wish.SERVED and found.generation == booking.generation

    async def _unload(self, record: ModelRecord, server: ConnectedServer) -> None:
        if record.is_resident:
            await asyncio.sleep(self._patience.drain_s)
        try:
            await server.take_out(record)
        except ServerGoneError:
            raise
        except LoadError as error:
            record.state, record.message = State.UNLOAD_FAILED, str(error)
            self._failed(self, f"model {record.name} is not unloaded: {error}")
        else:
            record.state = State.UNLOADED

    async def _forget(self, record: ModelRecord, server: ConnectedServer) -> None:
        """Take out what is not booked any more; no answer is awaited."""
        try:
            await server.take_out(record)
        except ServerGoneError:
            raise
        except LoadError as error:
            _log.warning("model %s cannot be unloaded: %s", record.name, error)
        self._records.pop(record.name, None)

    def _tell(self) -> None:
        self._changed(self)
        self._wake()

    def _wake(self) -> None:
        """Let those look again who wait for something to change."""
        self._moved.set()
        self._moved = asyncio.Event()

"""One publisher of KV events: its messages in order, and what they say told to the router."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from bayplan.routing.endpoints.kv_event import KvEvent
from bayplan.signals.kv_events.batch import BatchError, read_batch
from bayplan.signals.kv_events.sequence import MessageSequence, Verdict

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bayplan.signals.kv_events.batch import Batch

_FRAMES: Final = 3
_NUMBER_BYTES: Final = 8

_log = logging.getLogger("bayplan.signals")


@dataclass(slots=True)
class PublisherState:
    """What came of one endpoint's events, for whoever looks at the gateway."""

    messages: int = 0
    events: int = 0
    left_out: int = 0
    """Events that tokens alone do not tell, of hybrid caches or with salts."""
    unreadable: int = 0
    missed: int = 0
    """Messages that never came, also not by a replay."""
    restarts: int = 0
    problem: str = ""
    """Why nothing of it can match; empty where all is well."""


class Publisher:
    """Takes the messages of one endpoint. `ask_again` brings what an engine has kept, from a number on; None: nothing.

    Caches of engines that were restarted are empty. Where nothing is kept, an engine whose connection broke is taken
    for a restarted one: too little is known of it then, and never too much.
    """

    def __init__(
        self,
        name: str,
        tell: Callable[[str, KvEvent], None],
        *,
        model: str = "",
        block_size: int | None = None,
        ask_again: Callable[[int], Awaitable[Sequence[tuple[int, bytes]]]] | None = None,
    ) -> None:
        self._name, self._tell = name, tell
        self._model, self._block_size, self._ask_again = model, block_size, ask_again
        self._sequence = MessageSequence()
        self._is_doubtful = False
        self.state = PublisherState()

    async def catch_up(self) -> None:
        """Take what was published before anybody listened."""
        if self._ask_again is not None:
            await self._replay(await self._ask_again(0), None)

    def disconnected(self) -> None:
        """The connection broke: what comes next may come from an engine that was restarted."""
        self._is_doubtful = self._sequence.last is not None

    def take(self, frames: Sequence[bytes]) -> bool:
        """Take one message; True: `recover` must ask for what came before it, and then take it."""
        found = self._read(frames)
        if found is None:
            return False
        number, batch = found
        verdict = self._sequence.judge(number, batch.time_s)
        if self._ask_again is not None and (self._is_doubtful or verdict in (Verdict.GAP, Verdict.RESTART)):
            return True
        if verdict is Verdict.RESTART or self._is_doubtful:
            self._restart()
        elif verdict is Verdict.DUPLICATE:
            return False
        self._use(number, batch)
        return False

    async def recover(self, frames: Sequence[bytes]) -> None:
        """Ask for what is missing before a message, then take that message."""
        found = self._read(frames)
        if found is None or self._ask_again is None:
            return
        number, batch = found
        last = self._sequence.last
        kept = await self._ask_again(last or 0)
        if last is not None and self._is_of_another_run(kept, number, batch.time_s):
            self._restart()
            kept = await self._ask_again(0) if last else kept
        self._is_doubtful = False
        await self._replay(kept, number)
        if self._sequence.judge(number, batch.time_s) in (Verdict.NEXT, Verdict.GAP):
            self._use(number, batch)

    def _is_of_another_run(self, kept: Sequence[tuple[int, bytes]], number: int, time_s: float) -> bool:
        """Whether the engine was restarted since the last message, which it still has if it was not."""
        if self._sequence.judge(number, time_s) is Verdict.RESTART:
            return True
        again = next((payload for each, payload in kept[:1] if each == self._sequence.last), None)
        batch = None if again is None else self._batch(again, self._model)
        return self._is_doubtful if batch is None else batch.time_s != self._sequence.last_time_s

    async def _replay(self, kept: Sequence[tuple[int, bytes]], before: int | None) -> None:
        for number, payload in kept:
            if before is not None and number >= before:
                return
            batch = self._batch(payload, self._model)
            if batch is not None and self._sequence.judge(number, batch.time_s) in (Verdict.NEXT, Verdict.GAP):
                self._use(number, batch)
            await asyncio.sleep(0)

    def _restart(self) -> None:
        self.state.restarts += 1
        self._is_doubtful = False
        self._sequence.begin_anew()
        self._tell(self._name, KvEvent("cleared", self._model))

    def _read(self, frames: Sequence[bytes]) -> tuple[int, Batch] | None:
        if len(frames) != _FRAMES or len(frames[1]) != _NUMBER_BYTES:
            self._unreadable(f"{len(frames)} frames instead of topic, number and events")
            return None
        topic, number, payload = frames
        model = topic.decode("utf-8", "replace").partition("@")[2].partition("@")[2]
        self._model = model or self._model
        batch = self._batch(payload, self._model)
        return None if batch is None else (int.from_bytes(number, "big"), batch)

    def _batch(self, payload: bytes, model: str) -> Batch | None:
        try:
            return read_batch(msgspec.msgpack.decode(payload), model)
        except (msgspec.DecodeError, BatchError, RecursionError, UnicodeDecodeError) as error:
            self._unreadable(str(error))
            return None

    def _unreadable(self, why: str) -> None:
        self.state.unreadable += 1
        if self.state.unreadable == 1:
            _log.warning("KV events of endpoint %s cannot be read: %s", self._name, why)

    def _use(self, number: int, batch: Batch) -> None:
        state, sequence = self.state, self._sequence
        sequence.take(number, batch.time_s)
        if sequence.missed > state.missed:
            if not state.missed:
                _log.warning("messages of KV events of endpoint %s were missed, up to number %d", self._name, number)
            state.missed = sequence.missed
        state.messages += 1
        state.left_out += batch.left_out
        for event in batch.events:
            state.events += 1
            if event.block_size is not None:
                self._check(event.block_size)
            self._tell(self._name, event)

    def _check(self, block_size: int) -> None:
        """A block size that the index does not have: none of these blocks can ever match."""
        if self._block_size in (None, block_size):
            self.state.problem = ""
        elif not self.state.problem:
            self.state.problem = (
                f"block size {block_size} instead of {self._block_size}: none of its blocks can match; "
                f"set tokenProcessorConfig.blockSizeTokens to {block_size}"
            )
            _log.warning("KV events of endpoint %s: %s", self._name, self.state.problem)

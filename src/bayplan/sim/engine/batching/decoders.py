"""The requests of an engine that produce a token in every step, counted so that many steps cost no more than one."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from bayplan.sim.engine.batching.sequence import State

if TYPE_CHECKING:
    from bayplan.sim.engine.batching.sequence import Sequence


class Decoders:
    """How many they are, how long their contexts are together, when the next one finishes and who needs a block when.

    A decoder writes one token into the cache in each step, and needs a new block when its cached tokens fill their
    blocks. That comes back every `block_tokens` steps, so it is enough to count decoders by the remainder of the step
    in which they need one.
    """

    __slots__ = ("_ends", "_joined", "_needs", "block_tokens", "context_tokens", "number")

    def __init__(self, block_tokens: int) -> None:
        self.block_tokens = block_tokens
        self.number = 0
        self.context_tokens = 0  # of all of them, as the next step reads them
        self._needs = [0] * block_tokens
        self._ends: list[tuple[int, int, Sequence]] = []
        self._joined = 0  # makes entries of the heap comparable

    def join(self, sequence: Sequence, step: int) -> None:
        """Add a sequence whose first step as a decoder is `step`."""
        sequence.state = State.DECODE
        sequence.joined_step = step
        sequence.finish_step = step + sequence.output_tokens - sequence.generated
        self.number += 1
        self.context_tokens += sequence.prefill_tokens
        self._needs[self._remainder(sequence)] += 1
        self._joined += 1
        heappush(self._ends, (sequence.finish_step, self._joined, sequence))

    def leave(self, sequence: Sequence, step: int) -> None:
        """Take a sequence out before `step`, with what it has generated; the caller says what becomes of it."""
        self._needs[self._remainder(sequence)] -= 1
        sequence.generated += step - sequence.joined_step
        self.number -= 1
        self.context_tokens -= sequence.prefill_tokens
        sequence.finish_step = -1

    def advance(self, steps: int) -> None:
        """Each has produced that many tokens."""
        self.context_tokens += self.number * steps

    def next_finish(self) -> int:
        """The step before which the first of them finishes; asked only while there are some."""
        ends = self._ends
        while ends[0][0] != ends[0][2].finish_step:
            heappop(ends)  # it left before its end
        return ends[0][0]

    def finished(self, step: int) -> list[Sequence]:
        """Take out those that are finished before `step`, in the order in which they joined."""
        found: list[Sequence] = []
        while self.number and self.next_finish() <= step:
            sequence = heappop(self._ends)[2]
            self.leave(sequence, step)
            found.append(sequence)
        if not self.number:
            self._ends.clear()
        return found

    def blocks_needed(self, step: int, steps: int = 1) -> int:
        """New blocks that all of them need for these steps."""
        cycles, rest = divmod(steps, self.block_tokens)
        begin = step % self.block_tokens
        end = begin + rest
        needs = sum(self._needs[begin:end])
        if end > self.block_tokens:
            needs += sum(self._needs[: end - self.block_tokens])
        return needs + cycles * self.number

    def steps_within(self, step: int, steps: int, blocks: int) -> int:
        """How many of these steps can be done with so many new blocks."""
        if self.blocks_needed(step, steps) <= blocks:
            return steps
        done = blocks // self.number * self.block_tokens  # each cycle takes one block for each of them
        left = blocks % self.number
        while True:
            left -= self._needs[(step + done) % self.block_tokens]
            if left < 0:
                return done
            done += 1

    def _remainder(self, sequence: Sequence) -> int:
        cached = sequence.prefill_tokens - 1  # the newest token is written by the step that reads it
        return (sequence.joined_step - cached) % self.block_tokens

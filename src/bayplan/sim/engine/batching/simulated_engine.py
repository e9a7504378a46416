"""An engine that batches requests continuously, in the time of its caller."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.sim.engine.batching.adapter_slots import AdapterSlots
from bayplan.sim.engine.batching.block_pool import BlockPool
from bayplan.sim.engine.batching.decoders import Decoders
from bayplan.sim.engine.batching.sequence import Event, Kind, State
from bayplan.sim.engine.batching.span import Span

if TYPE_CHECKING:
    from bayplan.sim.engine.batching.sequence import Sequence
    from bayplan.sim.engine.batching.timing import Timing


@dataclass(frozen=True, slots=True)
class Limits:
    """What an engine can hold: KV blocks, tokens of one step, running requests, loaded adapters."""

    blocks: int
    block_tokens: int
    step_tokens: int
    sequences: int
    adapters: int = 0

    def __post_init__(self) -> None:
        for name in ("blocks", "block_tokens", "step_tokens", "sequences"):
            if getattr(self, name) < 1:
                raise InputError("must be at least 1", place=name)
        if self.sequences > self.step_tokens:
            raise InputError(
                f"is {self.step_tokens}, fewer than the {self.sequences} sequences that may run",
                place="step_tokens",
                next="each running sequence needs a token of every step",
            )


class SimulatedEngine:
    """Continuous batching with chunked prefill, first come first served, and LRU prefix blocks.

    A step first decodes one token of every running request, then fills what is left of `step_tokens` with prompts in
    the order of arrival. A prompt is admitted when all its blocks are available; blocks that are cached need no
    computing, except that the last token always does. A request whose adapter has no slot lets others pass.
    Output takes blocks as it grows. When none is left, the request that was admitted last gives its blocks back, waits
    at the front of the queue, and computes its tokens again.

    Calls must not go back in time: `advance(now)` first, then `submit` or `abort` at that time. A request that arrives
    while a step runs joins the next one. The times of events do not depend on how often `advance` is called.
    """

    __slots__ = (
        "_decoders",
        "_free_at_s",
        "_prefills",
        "_span",
        "_timing",
        "adapters",
        "cached_prompt_tokens",
        "generated_tokens",
        "limits",
        "pool",
        "preemptions",
        "prompt_tokens",
        "queried_prompt_tokens",
        "running",
        "step",
        "waiting",
    )

    def __init__(self, limits: Limits, timing: Timing) -> None:
        self.limits = limits
        self.pool = BlockPool(limits.blocks)
        self.adapters = AdapterSlots(limits.adapters)
        self.waiting: deque[Sequence] = deque()
        self.running: dict[Sequence, None] = {}  # in the order of admission
        self.step = 0
        self.prompt_tokens = self.generated_tokens = 0
        self.queried_prompt_tokens = self.cached_prompt_tokens = 0
        self.preemptions = 0
        self._timing = timing
        self._decoders = Decoders(limits.block_tokens)
        self._prefills: list[Sequence] = []  # prompts of the step in progress
        self._span: Span | None = None
        self._free_at_s = 0.0  # where no step is planned: the earliest start of the next

    @property
    def timing(self) -> Timing:
        return self._timing

    @timing.setter
    def timing(self, timing: Timing) -> None:
        """Steps that have not begun take the new times."""
        self._timing = timing
        if self._span is not None:
            self._span.cut()

    @property
    def usage(self) -> float:
        """The share of blocks in use."""
        return self.pool.in_use / self.pool.capacity

    def holds(self, tokens: int) -> bool:
        """Whether a request of this number of tokens, prompt and output, can ever run."""
        return -(-tokens // self.limits.block_tokens) <= self.limits.blocks

    def generated(self, sequence: Sequence) -> int:
        """The tokens that a sequence has produced so far."""
        since = self.step - sequence.joined_step if sequence.state is State.DECODE else 0
        return sequence.generated + since

    def submit(self, sequence: Sequence, now_s: float) -> None:
        """Let a request arrive."""
        if not self.holds(sequence.prompt_tokens + sequence.output_tokens):
            raise InputError(
                f"{sequence.prompt_tokens} tokens and {sequence.output_tokens} of output need more than "
                f"{self.limits.blocks} blocks of {self.limits.block_tokens}",
                place="prompt",
                next="shorten it or give the engine more blocks",
            )
        if sequence.adapter is not None and not self.limits.adapters:
            raise InputError("the engine has no slots for adapters", place="adapter", next="start it with some")
        sequence.state = State.WAITING
        sequence.arrived_s = now_s
        self.waiting.append(sequence)
        if self._span is not None:
            self._span.cut()
        elif not self.running:
            self._free_at_s = max(self._free_at_s, now_s)

    def abort(self, sequence: Sequence) -> None:
        """End a request early; its blocks are available at once. The step in progress takes as long as before."""
        if sequence.state is State.WAITING:
            self.waiting.remove(sequence)
        elif sequence.state in (State.PREFILL, State.DECODE):
            self._withdraw(sequence)
        else:
            return
        sequence.state = State.ABORTED
        if self._span is not None:
            self._span.cut()  # others may have room now, behind a waiting request too

    def next_step_s(self) -> float | None:
        """When the step in progress ends; None while there is nothing to do."""
        span = self._planned()
        return None if span is None else span.end_s(span.done + 1)

    def next_event_s(self) -> float | None:
        """When something may happen that `advance` returns, if nothing else arrives; None while there is no work."""
        span = self._planned()
        return None if span is None else span.end_s(span.length)

    def advance(self, now_s: float) -> list[Event]:
        """Do all steps that are over by now, and tell what happened at their ends, in order."""
        events: list[Event] = []
        while True:
            span = self._span
            if span is None:
                if self._free_at_s >= now_s:
                    return events
                span = self._planned()
                if span is None:
                    return events
            steps = span.steps_by(now_s)
            if steps > span.done:
                self._do(span, steps)
            if span.done < span.length:
                return events
            self._end(span, events)

    def _planned(self) -> Span | None:
        if self._span is None and (self.running or self.waiting):
            self._plan()
        return self._span

    def _plan(self) -> None:
        """Decide what the next step does, and how many more will do the same."""
        decoders, pool, timing = self._decoders, self.pool, self._timing
        is_short = self._make_room()
        pool.take(decoders.blocks_needed(self.step))
        extra_s = self._fill(self.limits.step_tokens - decoders.number, admit=not is_short)
        first_s = timing.base_s + extra_s + timing.context_s * decoders.context_tokens
        if self._prefills:
            self._span = Span(self._free_at_s, first_s, 0.0, 1)
        elif decoders.number:
            growth_s = timing.context_s * decoders.number
            more = decoders.next_finish() - self.step - 1
            length = 1 + (more and decoders.steps_within(self.step + 1, more, pool.available))
            self._span = Span(self._free_at_s, first_s, growth_s, length)

    def _make_room(self) -> bool:
        """Preempt until every decoder has the block that its next token needs; whether that was necessary."""
        is_short = False
        while self._decoders.blocks_needed(self.step) > self.pool.available:
            is_short = True
            victim = next(reversed(self.running))
            self._withdraw(victim)
            victim.state = State.WAITING
            victim.preemptions += 1
            self.preemptions += 1
            self.waiting.appendleft(victim)
        return is_short

    def _fill(self, budget: int, *, admit: bool) -> float:
        """Give the tokens that decoding leaves to prompts; the seconds that they add to the step."""
        seconds = 0.0
        last = next(reversed(self.running), None)
        if last is not None and last.state is State.PREFILL:  # only the last one can be unfinished: it got the rest
            chunk = self._compute(last, budget)
            budget -= chunk
            seconds += self._timing.prefill(last.computed_tokens - chunk, last.computed_tokens)
        if not admit:
            return seconds
        passed: list[Sequence] = []
        while budget and self.waiting and len(self.running) < self.limits.sequences:
            sequence = self.waiting[0]
            if sequence.adapter is not None and not self.adapters.has_room(sequence.adapter):
                passed.append(self.waiting.popleft())
                continue
            if not self._admit(sequence):
                break
            self.waiting.popleft()
            if sequence.adapter is not None and self.adapters.use(sequence.adapter):
                seconds += self._timing.adapter_load_s
            chunk = self._compute(sequence, budget)
            budget -= chunk
            seconds += self._timing.prefill(sequence.computed_tokens - chunk, sequence.computed_tokens)
        self.waiting.extendleft(reversed(passed))
        return seconds

    def _admit(self, sequence: Sequence) -> bool:
        """Give a waiting request its blocks, if they are available."""
        tokens, pool = sequence.prefill_tokens, self.pool
        hits = pool.match(sequence.blocks[: (tokens - 1) // self.limits.block_tokens])
        found = sequence.blocks[:hits]
        missing = -(-tokens // self.limits.block_tokens) - hits
        if pool.available - missing < hits and pool.available - pool.count_kept(found) < missing:
            return False
        pool.pin(found)
        pool.take(missing)
        sequence.pinned = hits
        sequence.computed_tokens = hits * self.limits.block_tokens
        sequence.state = State.PREFILL
        if sequence.admitted_s is None:
            sequence.admitted_s = self._free_at_s
            sequence.cached_tokens = sequence.computed_tokens
        self.queried_prompt_tokens += tokens
        self.cached_prompt_tokens += sequence.computed_tokens
        self.running[sequence] = None
        return True

    def _compute(self, sequence: Sequence, budget: int) -> int:
        """Put as much of a prompt as fits into the step; blocks can be hit from the step that computes them on."""
        chunk = min(budget, sequence.prefill_tokens - sequence.computed_tokens)
        sequence.computed_tokens += chunk
        full = min(sequence.computed_tokens, sequence.prompt_tokens) // self.limits.block_tokens
        if full > sequence.pinned:
            published = sequence.blocks[sequence.pinned : full]
            self.pool.publish(published)
            sequence.pinned += len(published)
        if chunk:
            self._prefills.append(sequence)
        return chunk

    def _do(self, span: Span, steps: int) -> None:
        """Bring a span to that many steps. A step's blocks are taken when it begins."""
        begun = min(steps, span.length - 1) - span.done
        if begun > 0:
            self.pool.take(self._decoders.blocks_needed(self.step + 1, begun))
        self.step += steps - span.done
        self.generated_tokens += self._decoders.number * (steps - span.done)
        self._decoders.advance(steps - span.done)
        span.done = steps

    def _end(self, span: Span, events: list[Event]) -> None:
        """Tell who has a first token and who is finished."""
        now_s = span.end_s(span.length)
        self._span = None
        self._free_at_s = now_s
        decoders = self._decoders
        for sequence in decoders.finished(self.step) if decoders.number else ():
            self._finish(sequence, events)
        for sequence in self._prefills:
            if sequence.computed_tokens < sequence.prefill_tokens:
                continue
            sequence.generated += 1
            self.generated_tokens += 1
            if sequence.first_token_s is None:
                self.prompt_tokens += sequence.prompt_tokens
                sequence.first_token_s = now_s
                events.append(Event(now_s, Kind.FIRST_TOKEN, sequence))
            if sequence.generated == sequence.output_tokens:
                self._finish(sequence, events)
            else:
                decoders.join(sequence, self.step)
        self._prefills.clear()

    def _finish(self, sequence: Sequence, events: list[Event]) -> None:
        self._release(sequence, sequence.prefill_tokens - 1)
        sequence.state = State.FINISHED
        sequence.finished_s = self._free_at_s
        events.append(Event(self._free_at_s, Kind.FINISHED, sequence))

    def _withdraw(self, sequence: Sequence) -> None:
        """Take a running request out in the middle of its life."""
        if sequence.state is State.DECODE:
            self._decoders.leave(sequence, self.step)
            self._release(sequence, sequence.prefill_tokens - (self._span is None))
        else:
            self._release(sequence, sequence.prefill_tokens)
            if sequence in self._prefills:
                self._prefills.remove(sequence)

    def _release(self, sequence: Sequence, cached_tokens: int) -> None:
        """Give the blocks back; the private ones follow from the tokens that are or are being written."""
        held = -(-cached_tokens // self.limits.block_tokens)
        self.pool.give_back(sequence.blocks[: sequence.pinned], held - sequence.pinned)
        sequence.pinned = 0
        del self.running[sequence]
        if sequence.adapter is not None:
            self.adapters.leave(sequence.adapter)

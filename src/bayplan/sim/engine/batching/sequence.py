"""One request inside an engine: what it asks, how far it is, and when things happened to it."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence as Ordered

    from bayplan.sim.engine.batching.block_pool import Hash


class State(IntEnum):
    """Where a sequence is in its life."""

    NEW = 0
    WAITING = 1
    PREFILL = 2
    DECODE = 3
    FINISHED = 4
    ABORTED = 5


class Sequence:
    """A prompt and the number of tokens it will be answered with.

    `blocks` are the hashes of the prompt's blocks from its beginning; each stands for the whole prefix that ends there.
    A last block that is not full is not reused, with or without a hash. The engine fills in the rest.
    """

    __slots__ = (
        "adapter",
        "admitted_s",
        "arrived_s",
        "blocks",
        "cached_tokens",
        "computed_tokens",
        "finish_step",
        "finished_s",
        "first_token_s",
        "generated",
        "joined_step",
        "output_tokens",
        "pinned",
        "preemptions",
        "prompt_tokens",
        "state",
        "tag",
    )

    def __init__(
        self,
        prompt_tokens: int,
        output_tokens: int,
        blocks: Ordered[Hash] = (),
        adapter: str | None = None,
        tag: object = None,
    ) -> None:
        self.prompt_tokens = prompt_tokens
        self.output_tokens = output_tokens
        self.blocks = blocks
        self.adapter = adapter
        self.tag = tag  # the caller's own
        self.state = State.NEW
        self.arrived_s = 0.0
        self.admitted_s: float | None = None
        self.first_token_s: float | None = None
        self.finished_s: float | None = None
        self.cached_tokens = 0
        self.preemptions = 0
        self.computed_tokens = 0
        self.generated = 0  # while it decodes: as it was when it joined; SimulatedEngine.generated adds the steps since
        self.joined_step = 0
        self.finish_step = 0
        self.pinned = 0  # blocks of the prompt that it uses and others can hit

    @property
    def prefill_tokens(self) -> int:
        """Tokens that must be in the cache before the next one comes: the prompt, and what was lost by preemption."""
        return self.prompt_tokens + self.generated


class Kind(IntEnum):
    """What an event tells."""

    FIRST_TOKEN = 0
    FINISHED = 1


class Event(NamedTuple):
    """Something that others wait for, at the end of a step."""

    time_s: float
    kind: Kind
    sequence: Sequence

"""Invented agents: many turns with growing prompts, long beginnings that many share, and short answers."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import TYPE_CHECKING

from bayplan.sim.routing.trace import BLOCK_TOKENS, Trace, TraceRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = 12  # of agents; those of one kind begin with the same instructions and tools
INSTRUCTION_BLOCKS = (4, 16)
TURNS = (3, 20)
GROWTH_TOKENS = 1200  # of the prompt by one turn: an answer and what a tool said, in the median
GROWTH_SPREAD = 1.0  # of its logarithm
LONGEST_TOKENS = 120_000
ANSWER_TOKENS = 60
TOOL_S = 30.0  # from one turn to the next at speed 1, in the mean


def agent_trace(agents: int, seconds: float, seed: int = 0) -> Trace:
    """So many agents that begin within so many seconds; each turn's prompt continues the one before it."""
    chance = Random(seed)  # noqa: S311 (a simulation)
    names = count()
    kinds = [[next(names) for _ in range(chance.randint(*INSTRUCTION_BLOCKS))] for _ in range(KINDS)]
    found: list[tuple[float, int, int, tuple[int, ...]]] = []
    for _ in range(agents):
        found += _turns(chance, chance.choice(kinds), names, chance.random() * seconds)
    found.sort()
    requests = tuple(TraceRequest(str(number), *each) for number, each in enumerate(found, start=1))
    return Trace(f"agents-{seed}", requests)


def _turns(
    chance: Random, instructions: list[int], names: Iterator[int], begin_s: float
) -> Iterator[tuple[float, int, int, tuple[int, ...]]]:
    """Times, tokens and blocks of one agent's requests."""
    blocks, at_s = list(instructions), begin_s
    tokens = len(blocks) * BLOCK_TOKENS
    for _ in range(chance.randint(*TURNS)):
        tokens += max(1, round(GROWTH_TOKENS * chance.lognormvariate(0.0, GROWTH_SPREAD)))
        if tokens > LONGEST_TOKENS:
            return
        while len(blocks) < tokens // BLOCK_TOKENS:
            blocks.append(next(names))
        output = max(1, round(chance.expovariate(1 / ANSWER_TOKENS)))
        # a last block that is not full is another one in the next turn
        yield at_s, tokens, output, (*blocks, next(names)) if tokens % BLOCK_TOKENS else tuple(blocks)
        at_s += chance.expovariate(1 / TOOL_S)

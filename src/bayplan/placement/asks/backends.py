"""Which engine runs on which kind of card, as a table."""

from __future__ import annotations

from enum import StrEnum


class Support(StrEnum):
    """Unknown is not unsupported: such a card is used, and the plan says so."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


KNOWN_RUNTIMES = frozenset({"cuda", "rocm", "cann", "mps"})

_RUNS_ON = {
    "vllm": frozenset({"cuda", "rocm", "cann"}),
    "sglang": frozenset({"cuda", "rocm", "cann"}),
    "llama-cpp": KNOWN_RUNTIMES,
}

OFFLOADS_PARTLY = frozenset({"llama-cpp"})
RUNS_ON_CPU = frozenset({"llama-cpp", "custom"})
SPANS_WORKERS = frozenset({"vllm", "sglang", "llama-cpp"})


def support(backend: str, runtime: str) -> Support:
    """Whether an engine runs on the cards of a runtime; a custom one runs wherever its owner says."""
    runs_on = _RUNS_ON.get(backend)
    if runs_on is None or runtime in runs_on:
        return Support.YES
    return Support.NO if runtime in KNOWN_RUNTIMES else Support.UNKNOWN

"""Prefer, or allow only, endpoints that are meant for prompts of this length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from bayplan.framework.reasons import Reasons

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest

NO_LABEL = 0.5
MALFORMED = 0.0
OUTSIDE = 0.3
"""The most that an endpoint scores whose range does not hold the prompt, and the least of one whose range does."""

MOST_LABELS = 1024
"""Labels that are kept in parsed form: pools have a handful of ranges."""


class ContextRange(NamedTuple):
    """Prompt lengths in tokens, both ends included."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class ContextLengthAware:
    """Scores how well an endpoint's range of prompt lengths suits the prompt: narrow ranges that hold it are best.

    The range is a label `min-max`, in tokens. Inside: 0.3 + 0.7·(0.7 / (1 + width / 10000) + 0.3·(max − length) /
    width), or 1 for a range of one length. Outside: 0.3 / (1 + distance / 1000). An endpoint without the label scores
    0.5, a label that is no range 0. As a filter it keeps endpoints whose range holds the prompt, and those without the
    label.

    Parameters:
        label: the label that holds the range.
        enable_filtering: whether it is a filter too.
    """

    label: str = "llm-d.ai/context-length-range"
    enable_filtering: bool = False

    name = "context-length-aware"
    reads = ("labels",)
    storages = ("lists",)

    def mask(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[bool]:
        if not self.enable_filtering:
            return [True] * rows.size
        return [_allows(labels.get(self.label), ask.prompt_tokens) for labels in rows.labels]

    def explain(self, ask: RoutedRequest, refused: EndpointRows, cycle: Cycle) -> Reasons:
        return Reasons(
            "context-length",
            tokens=ask.prompt_tokens,
            range=[labels.get(self.label) for labels in refused.labels],
            text="the prompt has {tokens} tokens, the endpoint is for {range}",
        )

    def score(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[float]:
        return [_suits(labels.get(self.label), ask.prompt_tokens) for labels in rows.labels]


def _allows(label: str | None, tokens: int) -> bool:
    if label is None:
        return True
    found = _range_of(label)
    return found is not None and found.least <= tokens <= found.most


def _suits(label: str | None, tokens: int) -> float:
    if label is None:
        return NO_LABEL
    found = _range_of(label)
    if found is None:
        return MALFORMED
    least, most = found
    if not least <= tokens <= most:
        return OUTSIDE / (1.0 + max(least - tokens, tokens - most) / 1000.0)
    width = most - least
    if width == 0:
        return 1.0
    return OUTSIDE + 0.7 * (0.7 / (1.0 + width / 10_000.0) + 0.3 * (most - tokens) / width)


@lru_cache(maxsize=MOST_LABELS)
def _range_of(label: str) -> ContextRange | None:
    """The range that a label stands for; None where it is not two whole numbers, the smaller one first."""
    first, _, second = label.partition("-")
    least, most = first.strip(), second.strip()
    if not (least.isascii() and most.isascii() and least.isdigit() and most.isdigit()):
        return None
    found = ContextRange(int(least), int(most))
    return found if found.least <= found.most else None

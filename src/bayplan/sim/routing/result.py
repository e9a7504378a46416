"""What became of the requests of a replay, and the four criteria by which it is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.sim.routing.trace import TraceRequest

CRITERIA: Final = "ABCD"
"""A: 95 % within their line; B: mean TTFT at most 2 s; C: 70 % within 2 s; D: 90 % within 5 s."""

ON_LINE_SHARE, MEAN_S = 0.95, 2.0
SOON_SHARE, SOON_S = 0.70, 2.0
LATE_SHARE, LATE_S = 0.90, 5.0


def line_s(prompt_tokens: int, token_s: float) -> float:
    """The TTFT that a request of this length may take: 1 s and twice its prefill without any cache."""
    return 1.0 + 2.0 * prompt_tokens * token_s


@dataclass(frozen=True, slots=True)
class Served:
    """One request. A time is None where it never came: the replay ended before."""

    request: TraceRequest
    ttft_s: float | None
    finished_s: float | None
    cached_tokens: int

    @property
    def tpot_s(self) -> float | None:
        """Seconds for each token after the first; None for answers of one token."""
        if self.ttft_s is None or self.finished_s is None or self.request.output_tokens < 2:
            return None
        return (self.finished_s - self.request.arrived_s - self.ttft_s) / (self.request.output_tokens - 1)


@dataclass(frozen=True, slots=True)
class Result:
    """All requests of a replay, in the order of arrival. `token_s` is the engines' own time for a prompt token."""

    served: Sequence[Served]
    token_s: float
    is_complete: bool = True

    @property
    def met(self) -> dict[str, bool]:
        """Which criteria hold; a request without a first token misses them all."""
        number = len(self.served)
        times = [each.ttft_s for each in self.served if each.ttft_s is not None]
        on_line = sum(
            each.ttft_s is not None and each.ttft_s <= line_s(each.request.prompt_tokens, self.token_s)
            for each in self.served
        )
        return {
            "A": on_line >= ON_LINE_SHARE * number,
            "B": len(times) == number and sum(times) <= MEAN_S * number,
            "C": sum(each <= SOON_S for each in times) >= SOON_SHARE * number,
            "D": sum(each <= LATE_S for each in times) >= LATE_SHARE * number,
        }

    @property
    def mean_ttft_s(self) -> float:
        """Over the requests that got a first token."""
        times = [each.ttft_s for each in self.served if each.ttft_s is not None]
        return sum(times) / len(times) if times else float("inf")

    def ttft_s(self, share: float, *, least_tokens: int = 0, most_tokens: float = float("inf")) -> float:
        """The TTFT within which this share of the requests of a class of lengths is."""
        return quantile(
            [
                float("inf") if each.ttft_s is None else each.ttft_s
                for each in self.served
                if least_tokens <= each.request.prompt_tokens < most_tokens
            ],
            share,
        )

    def tpot_s(self, share: float) -> float:
        """The time for each output token within which this share of the requests is."""
        return quantile([each.tpot_s for each in self.served if each.tpot_s is not None], share)

    @property
    def reuse(self) -> float:
        """The share of prompt tokens that were found in a cache."""
        tokens = sum(each.request.prompt_tokens for each in self.served)
        return sum(each.cached_tokens for each in self.served) / tokens if tokens else 0.0


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share does not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)] if ordered else 0.0

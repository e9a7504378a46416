"""Says during a replay whether the criteria can still be met, so that hopeless runs end early."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.sim.routing.result import LATE_S, LATE_SHARE, MEAN_S, ON_LINE_SHARE, SOON_S, SOON_SHARE, line_s

if TYPE_CHECKING:
    from bayplan.sim.routing.trace import TraceRequest


class Verdict:
    """Counts what is certain: a run of so many requests is lost when it misses every criterion that is asked about."""

    def __init__(self, number: int, token_s: float, criteria: str) -> None:
        self._number = number
        self._token_s = token_s
        self._criteria = criteria
        self._total_s = 0.0
        self._off_line = self._not_soon = self._late = 0

    def first_token(self, request: TraceRequest, now: float) -> None:
        """A first token came."""
        ttft_s = now - request.arrived_s
        self._total_s += ttft_s
        self._off_line += ttft_s > line_s(request.prompt_tokens, self._token_s)
        self._not_soon += ttft_s > SOON_S
        self._late += ttft_s > LATE_S

    @property
    def is_lost(self) -> bool:
        """Whether no criterion that is asked about can be met any more."""
        number = self._number
        missed = {
            "A": number - self._off_line < ON_LINE_SHARE * number,
            "B": self._total_s > MEAN_S * number,
            "C": number - self._not_soon < SOON_SHARE * number,
            "D": number - self._late < LATE_SHARE * number,
        }
        return all(missed[name] for name in self._criteria)

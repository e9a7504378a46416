"""What endpoints did lately: requests a second, time to the first token, prompts that were found in their caches."""

from __future__ import annotations

from collections import deque
from statistics import median
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from bayplan.telemetry.request_metrics import EndedRequest

KEPT: Final = 256
"""Answers of one endpoint that are remembered."""
WINDOW_S: Final = 10.0
"""The rate is that of so many last seconds, or of as many answers as are remembered."""
_ERROR: Final = 400


class EndpointFigures:
    """Statistics of one endpoint. What happens on each request is one tuple; all else is worked out when asked for."""

    __slots__ = ("_recent", "answered", "failed")

    def __init__(self) -> None:
        self.answered = 0
        self.failed = 0
        """Answers with an error, and answers that broke off."""
        self._recent: deque[tuple[float, float | None, int | None, int | None]] = deque(maxlen=KEPT)

    def ended(self, ended: EndedRequest, now_s: float, *, is_whole: bool) -> None:
        """An answer of the endpoint is over; `is_whole`: to its end."""
        if not is_whole or ended.status is None or ended.status >= _ERROR:
            self.failed += 1
            return
        self.answered += 1
        # the first byte of an answer that is no stream comes with its last token
        ttft_s = ended.ttft_s if ended.is_stream else None
        self._recent.append((now_s, ttft_s, ended.prompt_tokens, ended.cached_tokens))

    def document(self, now_s: float) -> dict[str, Any]:
        """The figures; None is unknown."""
        return {
            "answered": self.answered,
            "failed": self.failed,
            "requestsPerSecond": self._rate(now_s),
            "ttftSecondsP50": self._ttft_s(),
            "prefixHitRate": self._hit_rate(),
        }

    def _rate(self, now_s: float) -> float:
        recent = self._recent
        number = sum(now_s - each[0] <= WINDOW_S for each in recent)
        if number < KEPT:
            return number / WINDOW_S
        return number / max(now_s - recent[0][0], 1e-3)

    def _ttft_s(self) -> float | None:
        known = [each[1] for each in self._recent if each[1] is not None]
        return median(known) if known else None

    def _hit_rate(self) -> float | None:
        """The share of the prompts' tokens that were cached, over answers that tell both."""
        known = [each[2:] for each in self._recent if each[2] and each[3] is not None]
        prompts = sum(each[0] or 0 for each in known)
        return sum(each[1] or 0 for each in known) / prompts if prompts else None

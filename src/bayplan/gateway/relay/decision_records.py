"""The newest decisions that are kept to be looked at: samples, and those that clients asked for."""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import orjson

from bayplan.gateway.relay.messages.request_head import DECISION_HEADER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.gateway.relay.settings import Records
    from bayplan.routing.answer import Answer
    from bayplan.routing.router import Router

INLINE: Final = "inline"
INLINE_HEADER: Final = "x-bayplan-decision-record"
_LONGEST_INLINE: Final = 8 * 1024
"""Clients read heads of so many bytes; a longer record is fetched by its id."""


_SAMPLES_PER_S: Final = 10
"""In the long run; a relay with thousands of requests a second would else spend a twentieth of its time on them."""
_MOST_SAMPLES: Final = 100
"""After a time without any."""


class DecisionRecords:
    """A ring of decisions, by the id of their requests."""

    def __init__(self, settings: Records) -> None:
        self._settings = settings
        self._every, self._on_demand = settings.every, settings.on_demand
        self._seen = 0
        self._samples, self._sampled_s = float(_MOST_SAMPLES), monotonic()
        self._kept: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def wants(self, headers: Mapping[str, str]) -> bool:
        """Whether this request's decision is to be kept; called once for each request."""
        self._seen += 1
        every = self._every
        if every and self._seen % every == 0 and self._may_sample():
            return True
        return self._on_demand and DECISION_HEADER in headers

    def _may_sample(self) -> bool:
        """Whether another sample may be taken now: each costs as much as several requests."""
        now_s = monotonic()
        self._samples = min(_MOST_SAMPLES, self._samples + (now_s - self._sampled_s) * _SAMPLES_PER_S)
        self._sampled_s = now_s
        if self._samples < 1:
            return False
        self._samples -= 1
        return True

    def keep(self, router: Router, answer: Answer, request_id: str) -> None:
        """Keep a decision; a client that asked for it is told where it is."""
        record = router.explain(answer)
        record = {"request_id": request_id, "time": datetime.now(UTC).isoformat(timespec="milliseconds"), **record}
        self._kept.pop(request_id, None)
        self._kept[request_id] = record
        if len(self._kept) > self._settings.kept:
            self._kept.popitem(last=False)
        asked = answer.request.headers.get(DECISION_HEADER)
        if asked is None or not self._settings.on_demand:
            return
        shown = {DECISION_HEADER: request_id}
        if asked.strip().lower() == INLINE:
            text = _ascii(record)
            if len(text) <= _LONGEST_INLINE:
                shown[INLINE_HEADER] = text
        answer.response_headers = {**answer.response_headers, **shown}

    def get(self, request_id: str) -> dict[str, Any] | None:
        return self._kept.get(request_id)

    def newest(self, most: int) -> list[dict[str, Any]]:
        """The newest first."""
        return list(reversed(self._kept.values()))[:most]


def _ascii(record: dict[str, Any]) -> str:
    """JSON in one line of printable ASCII, as a header needs it."""
    text = orjson.dumps(record, default=str).decode()
    return "".join(each if each.isascii() else f"\\u{ord(each):04x}" if ord(each) < 0x10000 else "?" for each in text)

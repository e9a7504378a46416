"""A little traffic through the relay of the demo, and what became of it."""

from __future__ import annotations

import http.client
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import orjson

from bayplan.cli.gateway.relay_admin import RelayAdmin
from bayplan.cli.output import Part, Sheet, Title

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

LONGEST_S: Final = 10.0
"""All of it together; chats that have not begun by then are left out."""
_ENDPOINTS_S: Final = 5.0
_CHAT_S: Final = 5.0
_PAUSE_S: Final = 0.1
_AT_ONCE: Final = 3
_TOKENS: Final = 12
_DESKS: Final = tuple(
    f"You are the {desk} desk of a port authority. Ships, berths and cranes are your daily work. Answer in one short "
    "sentence, name the berth where you can, and say plainly when you do not know."
    for desk in ("pilot", "customs", "berth")
)
_QUESTIONS: Final = (
    "Where does the Aurora lie?",
    "Who is next at the north quay?",
    "When does the tide turn?",
    "Is crane four free tonight?",
)


@dataclass(slots=True)
class Sent:
    """What became of the chats: how many each endpoint answered, and what went wrong with the others."""

    document: dict[str, Any]
    """The endpoints afterwards."""
    answered: dict[str, int] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)

    def parts(self, url: str) -> Iterator[Part]:
        """The table."""
        yield Title(f"{sum(self.answered.values())} chats through the relay at {url}")
        rows = [_row(each, self.answered.get(each["name"], 0)) for each in self.document["endpoints"]]
        yield Sheet(("ENGINE", "ANSWERED", "PREFIX HITS", "FIRST TOKEN"), rows)
        yield ""


class SampleTraffic:
    """Three conversations that each begin alike, so that engines find prefixes in their caches."""

    def __init__(self, url: str, admin_url: str, model: str, ends: threading.Event) -> None:
        self._address = urlsplit(url).netloc
        self._admin = RelayAdmin(admin_url)
        self._model = model
        self._ends = ends
        self._end_s = 0.0

    def send(self, engines: int) -> Sent | None:
        """Wait for so many ready engines, chat, and count. None where there is no engine."""
        before = self._ready(engines)
        if not any(each["ready"] for each in before["endpoints"]):
            return None
        self._end_s = time.monotonic() + LONGEST_S
        failures: Counter[str] = Counter()
        chats = [(desk, question) for question in _QUESTIONS for desk in _DESKS]
        with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="chat") as threads:
            for problem in threads.map(self._chat, chats):
                if problem is not None:
                    failures[problem] += 1
        after = self._admin.endpoints()
        former = {each["name"]: each["lately"]["answered"] for each in before["endpoints"]}
        answered = {
            each["name"]: each["lately"]["answered"] - former.get(each["name"], 0) for each in after["endpoints"]
        }
        return Sent(after, answered, failures)

    def _ready(self, engines: int) -> dict[str, Any]:
        end_s = time.monotonic() + _ENDPOINTS_S
        while True:
            document = self._admin.endpoints()
            ready = sum(each["ready"] for each in document["endpoints"])
            if ready >= engines or time.monotonic() > end_s or self._ends.is_set():
                return document
            self._ends.wait(_PAUSE_S)

    def _chat(self, chat: tuple[str, str]) -> str | None:
        """Chat once; what went wrong."""
        if self._ends.is_set() or time.monotonic() > self._end_s:
            return "not sent: there was no time left"
        connection = http.client.HTTPConnection(self._address, timeout=_CHAT_S)
        try:
            connection.request("POST", "/v1/chat/completions", self._body(*chat), {"content-type": "application/json"})
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException) as error:
            return str(error) or type(error).__name__
        finally:
            connection.close()
        return None if answer.status == http.client.OK else f"answered with {answer.status}"

    def _body(self, desk: str, question: str) -> bytes:
        messages = [{"role": "system", "content": desk}, {"role": "user", "content": question}]
        asked = {"model": self._model, "messages": messages, "max_tokens": _TOKENS}
        return orjson.dumps({**asked, "stream": True, "stream_options": {"include_usage": True}})


def _row(endpoint: dict[str, Any], answered: int) -> tuple[str, ...]:
    hits, ttft_s = endpoint["lately"]["prefixHitRate"], endpoint["lately"]["ttftSecondsP50"]
    return (
        endpoint["name"],
        str(answered),
        "-" if hits is None else f"{hits:.0%} of the tokens",
        "-" if ttft_s is None else f"{ttft_s * 1e3:.0f} ms",
    )

"""Questions to the admin port of a relay."""

from __future__ import annotations

import http.client
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from bayplan.framework.errors import BayplanError, InputError

_LONGEST_S: Final = 5.0
_MOST_BYTES: Final = 64 * 1024 * 1024
_FOLLOWING: Final = (
    "name the admin URL that a relay printed: --relay http://127.0.0.1:7081; `bayplan up --demo` has one"
)


class NoRelayError(BayplanError):
    """No relay answers there."""

    code = "no-relay"


class RelayAdmin:
    """Asks one relay; each question has a connection of its own."""

    def __init__(self, url: str) -> None:
        self.url = url
        try:
            parts = urlsplit(url)
            self._host, self._port = parts.hostname or "", parts.port or 80
        except ValueError:
            self._host = ""
        if not self._host or parts.scheme != "http":
            message = f"{url!r} is no address of an admin port"
            raise InputError(message, place="--relay", next=_FOLLOWING, code="usage")

    def endpoints(self) -> dict[str, Any]:
        """The endpoints with their figures, and how many requests are held: the document of /endpoints."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=_LONGEST_S)
        try:
            connection.request("GET", "/endpoints")
            answer = connection.getresponse()
            document = orjson.loads(answer.read(_MOST_BYTES))
        except (OSError, http.client.HTTPException) as error:
            what = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise NoRelayError(f"no relay answers: {what}", place=self.url, next=_FOLLOWING) from None
        except orjson.JSONDecodeError:
            document = None
        finally:
            connection.close()
        if answer.status != http.client.OK or not isinstance(document, dict) or "endpoints" not in document:
            raise NoRelayError(f"it answers {answer.status}, not as an admin port", place=self.url, next=_FOLLOWING)
        return document

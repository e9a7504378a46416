"""The Host header: a page of another site can make a browser call this address under its own name (DNS rebinding)."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING

from bayplan.api.status import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

_AUTHORITY = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::[0-9]{0,5})?")
_MAPPED = "::ffff:"  # how a socket for both families writes an IPv4 address
_MOST_REMEMBERED = 64  # headers with different ports; a hostile client must not fill the memory


class Hosts:
    """The names under which this server may be called; any port is accepted, because tunnels change it."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(map(_normal, names))
        self._accepted: set[bytes] = set()

    def check(self, header: bytes | None, local: str) -> None:
        """Refuse other names; `local` is the address of this connection, a literal that cannot be rebound."""
        if header in self._accepted:
            return
        if header is None:
            raise Refusal(400, "the Host header is missing; HTTP/1.1 clients send it")
        text = header.decode("latin-1")
        found = _AUTHORITY.fullmatch(text)
        name = _normal(found[1] or found[2]) if found else ""
        if name in self._names:
            if len(self._accepted) < _MOST_REMEMBERED:
                self._accepted.add(header)
        elif not name or name != local.removeprefix(_MAPPED):
            raise Refusal(403, f"the Host header {text[:80]!r} is not a name of this server; start it with --name NAME")


def _normal(name: str) -> str:
    """Addresses have several spellings, and names ignore case."""
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return name.lower()

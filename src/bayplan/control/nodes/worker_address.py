"""Where a worker serves logs: an address that it told, checked before the server ever connects to it."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from bayplan.control.nodes.heartbeats import Beat

PLACE = "address"


def check_address(beat: Beat, peer: str, *, trusted: bool) -> None:
    """Refuse an address that is not the worker's own, so that no worker can make the server call others.

    It must be the address from which the heartbeat comes; an administrator's worker may name another. Plain HTTP is for
    the same machine alone.
    """
    if not beat.address:
        return
    parts = urlsplit(beat.address)
    try:
        host, port = ipaddress.ip_address(parts.hostname or ""), parts.port
    except ValueError:
        host, port = None, None
    if host is None or not port or parts.scheme not in ("http", "https") or parts.path or parts.query or parts.username:
        following = "write https://ADDRESS:PORT with an IP address"
        raise InputError(f"{beat.address[:80]!r} is no address of a worker", place=PLACE, next=following)
    if parts.scheme == "http" and not (host.is_loopback and ipaddress.ip_address(peer).is_loopback):
        raise InputError(
            "plain HTTP is for the same machine alone", place=PLACE, next="start the worker with --address"
        )
    if parts.scheme == "https" and not beat.certificate:
        raise InputError("an address with TLS needs the certificate that it shows", place=PLACE, next="tell it too")
    if not trusted and str(host) != peer:
        message = f"{host} is not where this worker calls from ({peer})"
        raise InputError(message, place=PLACE, next="start it with --address, or use an administrator's token")


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False

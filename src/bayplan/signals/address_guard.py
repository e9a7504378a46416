"""Which addresses may be called: an endpoint that somebody wrote down must not become a way into other services."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    Address = ipaddress.IPv4Address | ipaddress.IPv6Address
    Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_METADATA: Final = frozenset(
    map(
        ipaddress.ip_address,
        # where clouds tell credentials to whoever asks, outside of the link-local range
        ("fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"),
    )
)
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_BROADCAST: Final = ipaddress.ip_address("255.255.255.255")


@dataclass(frozen=True, slots=True)
class AddressGuard:
    """Refuses loopback (if told so), link-local, multicast and unspecified addresses, and those of cloud metadata.

    `loopback` is allowed by default because Bayplan itself listens there alone unless told otherwise; a gateway that
    others can reach should forbid it. `networks` are the operator's own: what is in them is always allowed.
    """

    loopback: bool = True
    networks: tuple[Network, ...] = ()

    @classmethod
    def of(cls, networks: Iterable[str], *, loopback: bool = True) -> AddressGuard:
        """A guard with networks as an operator writes them: `10.0.0.0/8`."""
        found = []
        for each in networks:
            try:
                found.append(ipaddress.ip_network(each.strip(), strict=False))
            except ValueError:
                following = "write one such as 10.0.0.0/8"
                raise InputError(f"{each[:80]!r} is no network", place="networks", next=following) from None
        return cls(loopback, tuple(found))

    def problem(self, written: str) -> str:
        """Why an address may not be called; empty where it may."""
        try:
            address = ipaddress.ip_address(written)
        except ValueError:
            return f"{written[:80]!r} is no IP address"
        if any(address in each for each in self.networks):
            return ""
        meant = _meant(address)
        if any(meant in each for each in self.networks):
            return ""
        kind = _kind(meant)
        return "" if not kind or (kind == "loopback" and self.loopback) else f"{written} is a {kind} address"

    async def resolved(self, host: str) -> str:
        """The address of a host, looked up once and pinned.

        OSError where there is none, InputError where it is refused. A name that has several addresses is refused if one
        of them is: which of them is called is chance.
        """
        try:
            found = [str(ipaddress.ip_address(host))]
        except ValueError:
            loop = asyncio.get_running_loop()
            listed = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
            found = list(dict.fromkeys(str(each[4][0]) for each in listed))
        for each in found:
            if problem := self.problem(each):
                raise InputError(problem, place=host, next="allow its network, if it is yours")
        return found[0]


def _meant(address: Address) -> Address:
    """The IPv4 address that an IPv6 address stands for, however it is wrapped."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else address)


def _kind(address: Address) -> str:
    """What is wrong with an address; empty for an ordinary one."""
    if address.is_loopback:
        return "loopback"
    if address.is_link_local:
        return "link-local"
    if address.is_unspecified or address == _BROADCAST or (address.version == 4 and int(address) >> 24 == 0):
        return "unspecified"
    if address.is_multicast:
        return "multicast"
    return "metadata" if address in _METADATA else ""

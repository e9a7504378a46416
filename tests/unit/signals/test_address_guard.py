import asyncio
import ipaddress

import pytest

from bayplan.framework.errors import InputError
from bayplan.signals.address_guard import AddressGuard

ADDRESSES = {
    "10.0.0.1": "",
    "192.168.1.1": "",
    "8.8.8.8": "",
    "fd12::1": "",
    "127.0.0.1": "loopback",
    "127.8.8.8": "loopback",
    "::1": "loopback",
    "::ffff:127.0.0.1": "loopback",
    "169.254.169.254": "link-local",
    "fe80::1": "link-local",
    "::ffff:169.254.169.254": "link-local",
    "64:ff9b::169.254.169.254": "link-local",
    "2002:a9fe:a9fe::1": "link-local",
    "0.0.0.0": "unspecified",  # noqa: S104 (it is refused)
    "0.1.2.3": "unspecified",
    "::": "unspecified",
    "255.255.255.255": "unspecified",
    "224.0.0.1": "multicast",
    "ff02::1": "multicast",
    "fd00:ec2::254": "metadata",
    "100.100.100.200": "metadata",
    "168.63.129.16": "metadata",
    "example.com": "no IP address",
    "10.0.0.1:80": "no IP address",
    "0x7f000001": "no IP address",
    "2130706433": "no IP address",
    "": "no IP address",
}


@pytest.mark.parametrize(("address", "kind"), ADDRESSES.items())
def test_a_strict_guard(address, kind):
    problem = AddressGuard(loopback=False).problem(address)

    assert kind in problem
    assert bool(problem) is bool(kind)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_loopback_is_allowed_by_default(address):
    assert AddressGuard().problem(address) == ""


def test_networks_of_the_operator():
    guard = AddressGuard.of(["169.254.10.0/24", " 127.0.0.5 "], loopback=False)

    assert guard.problem("169.254.10.7") == ""
    assert guard.problem("::ffff:169.254.10.7") == ""
    assert guard.problem("127.0.0.5") == ""
    assert guard.problem("169.254.11.7")
    assert guard.networks == (ipaddress.ip_network("169.254.10.0/24"), ipaddress.ip_network("127.0.0.5/32"))


def test_what_is_no_network():
    with pytest.raises(InputError, match=r"'10\.0\.0\.0/64' is no network"):
        AddressGuard.of(["10.0.0.0/64"])


def test_a_name_is_looked_up_and_pinned():
    assert asyncio.run(AddressGuard().resolved("localhost")) in ("127.0.0.1", "::1")


def test_an_address_needs_no_look_up():
    assert asyncio.run(AddressGuard().resolved("10.0.0.1")) == "10.0.0.1"


def test_a_name_of_a_refused_address():
    with pytest.raises(InputError, match="loopback"):
        asyncio.run(AddressGuard(loopback=False).resolved("localhost"))

"""Addresses that workers tell."""

import pytest

from bayplan.control.nodes.heartbeats import Beat
from bayplan.control.nodes.worker_address import check_address
from bayplan.framework.errors import InputError

ACCEPTED = {
    "none": (Beat(), "10.0.0.7", False),
    "the same machine": (Beat(address="http://127.0.0.1:5"), "127.0.0.1", False),
    "another machine": (Beat(address="https://10.0.0.7:5", certificate="x"), "10.0.0.7", False),
    "another, of an administrator": (
        Beat(address="https://10.0.0.7:5", certificate="x"),
        "10.9.9.9",
        True,
    ),
    "version six": (Beat(address="https://[fd00::7]:5", certificate="x"), "fd00::7", False),
}


@pytest.mark.parametrize(("beat", "peer", "trusted"), ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(beat, peer, trusted):
    check_address(beat, peer, trusted=trusted)


REFUSED = {
    "plain HTTP over a network": ("http://10.0.0.7:5", "10.0.0.7", "plain HTTP"),
    "somebody else's": ("https://10.0.0.8:5", "10.0.0.7", "not where this worker calls from"),
    "the server's own machine": ("http://127.0.0.1:22", "10.0.0.7", "plain HTTP"),
    "a name": ("https://example.org:5", "10.0.0.7", "is no address of a worker"),
    "no port": ("https://10.0.0.7", "10.0.0.7", "is no address of a worker"),
    "a path": ("https://10.0.0.7:5/x", "10.0.0.7", "is no address of a worker"),
    "a user": ("https://u@10.0.0.7:5", "10.0.0.7", "is no address of a worker"),
    "another scheme": ("file://10.0.0.7:5", "10.0.0.7", "is no address of a worker"),
    "a port that is none": ("https://10.0.0.7:x", "10.0.0.7", "is no address of a worker"),
}


@pytest.mark.parametrize(("address", "peer", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(address, peer, message):
    with pytest.raises(InputError, match=message):
        check_address(Beat(address=address, certificate="x"), peer, trusted=False)


def test_tls_needs_its_certificate():
    with pytest.raises(InputError, match="needs the certificate"):
        check_address(Beat(address="https://10.0.0.7:5"), "10.0.0.7", trusted=False)


def test_not_even_an_administrator_names_the_servers_own_machine_from_another():
    with pytest.raises(InputError, match="plain HTTP"):
        check_address(Beat(address="http://127.0.0.1:22"), "10.0.0.7", trusted=True)

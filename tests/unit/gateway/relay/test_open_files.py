"""For how many connections there is room."""

import resource

import pytest

from bayplan.gateway.relay.open_files import connections_that_fit

INFINITE = resource.RLIM_INFINITY
CASES = {
    "no limit": ((INFINITE, INFINITE), 20_000),
    "a limit that can be raised": ((1_024, 100_000), 20_000),
    "a limit that cannot": ((1_024, 4_256), 3_000),
    "hardly any": ((10, 10), 1),
}


@pytest.mark.parametrize(("limits", "fit"), CASES.values(), ids=CASES)
def test_connections(limits, fit, monkeypatch):
    state = {"limits": limits}
    monkeypatch.setattr(resource, "getrlimit", lambda _: state["limits"])
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: state.update(limits=wanted))

    assert connections_that_fit(20_000) == fit

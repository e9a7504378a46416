"""Requests per second."""

import pytest

from bayplan.api.access.limits import Limits
from bayplan.api.access.rates import Rate, Rates
from bayplan.api.access.roles import Role, User
from bayplan.api.status import Refusal


def test_a_rate_fills_with_time() -> None:
    rate = Rate(per_s=2, left=1, seen_s=0)
    assert rate.takes_one(0)
    assert not rate.takes_one(0.4)
    assert rate.takes_one(0.6)


def test_a_rate_holds_one_second() -> None:
    rate = Rate(per_s=2, left=2, seen_s=0)
    assert [rate.takes_one(100) for _ in range(3)] == [True, True, False]


def test_users_have_rates_of_their_own() -> None:
    rates = Rates(Limits(requests_per_s=0.001, tenant_requests_per_s=0.001))
    rates.check(User("a", Role.VIEWER))
    rates.check(User("b", Role.VIEWER))
    with pytest.raises(Refusal) as refused:
        rates.check(User("a", Role.VIEWER))
    assert (refused.value.code, refused.value.headers["Retry-After"]) == (429, "1")


def test_administrators_of_all_namespaces_may_ask_more_often() -> None:
    rates = Rates(Limits(requests_per_s=3, tenant_requests_per_s=1))
    for _ in range(3):
        rates.check(User("a", Role.ADMIN))
    rates.check(User("t", Role.ADMIN, ("team",)))
    with pytest.raises(Refusal):
        rates.check(User("t", Role.ADMIN, ("team",)))

"""How many watches a user may have open."""

import pytest

from bayplan.api.access.limits import Limits
from bayplan.api.access.roles import Role, User
from bayplan.api.access.watch_quota import WatchQuota
from bayplan.api.status import Refusal

TENANT = User("t", Role.VIEWER, ("team",))


def test_open_watches_count_until_they_end() -> None:
    quota = WatchQuota(Limits(tenant_watches=1))
    with quota.counted(TENANT):
        with pytest.raises(Refusal) as refused:
            quota.check(TENANT)
        quota.check(User("other", Role.VIEWER))
    quota.check(TENANT)
    assert refused.value.code == 429


def test_administrators_of_all_namespaces_may_have_more() -> None:
    quota = WatchQuota(Limits(watches=2, tenant_watches=1))
    admin = User("a", Role.ADMIN)
    with quota.counted(admin):
        quota.check(admin)

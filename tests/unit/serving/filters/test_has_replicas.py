"""A server without connected replicas takes nothing."""

from bayplan.serving.filters.has_replicas import HasReplicas
from unit.serving.builders import codes, server, subject, table


def test_no_replicas():
    ((rejection,),) = codes(HasReplicas(), table(server("a", 0), server("b", 1)), subject()).values()

    assert (rejection.code, rejection.curable) == ("no-replicas", False)

"""Who asks."""

from bayplan.framework.cycle import Key
from bayplan.placement.asks.subject import Subject

LIMIT: Key[int] = Key("a limit")


def test_a_subject_is_called_by_workload_and_replica():
    assert str(Subject("chat", 3)) == "chat#3"


def test_a_constraint_that_does_not_apply_is_not_there():
    assert Subject("chat").constraint(LIMIT) is None
    assert Subject("chat", constraints={LIMIT: 4}).constraint(LIMIT) == 4

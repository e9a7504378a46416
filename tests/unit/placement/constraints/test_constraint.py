"""A rule that counts nothing."""

from bayplan.placement.constraints.constraint import Stateless
from fleets import booking


def test_a_rule_that_counts_nothing_closes_nothing_and_tells_nobody_apart():
    rule = Stateless()
    mark = rule.mark()
    rule.hold(booking("m"), 0)
    rule.back_to(mark)

    assert rule.mark() == mark
    assert rule.closed_rows(()) == frozenset()
    assert not rule.tells_apart(())

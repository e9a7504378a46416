"""What tests of written-out code for lists share."""

from unit.framework.builders import Keeps


def boom(ask, rows, cycle):
    raise ZeroDivisionError


def most(name="most", least=2, **more):
    return Keeps(name, ("free",), lambda ask, rows, cycle: [each >= least for each in rows.free], **more)

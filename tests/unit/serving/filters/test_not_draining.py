"""A draining replica takes nothing new."""

from bayplan.serving.filters.not_draining import NotDraining
from unit.serving.builders import codes, replica, server, subject, table


def test_draining():
    on = table(server("a", [replica(0, draining=True), replica(1)]))

    assert {place: each.code for place, (each,) in codes(NotDraining(), on, subject()).items()} == {"a/0": "draining"}

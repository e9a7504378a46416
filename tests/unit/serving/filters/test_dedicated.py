"""Servers that a model cannot share."""

from bayplan.serving.filters.dedicated import Dedicated
from unit.serving.builders import ask, codes, server, subject, table

ROWS = table(server("a", 2), server("b"))


def test_closed_servers():
    found = codes(Dedicated(), ROWS, subject(closed={0}))

    assert {place: (each.code, each.curable) for place, (each,) in found.items()} == {
        "a/0": ("dedicated", True),
        "a/1": ("dedicated", True),
    }


def test_the_reason_says_which_of_the_two_is_dedicated():
    mine = codes(Dedicated(), ROWS, subject(ask(dedicated=True), closed={1}))["b/0"]
    theirs = codes(Dedicated(), ROWS, subject(closed={1}))["b/0"]

    assert [each.message for each in (*mine, *theirs)] == [
        "other models are on it, and this one is dedicated",
        "a dedicated model is on it",
    ]


def test_nothing_is_refused_where_nobody_is_dedicated():
    assert codes(Dedicated(), ROWS, subject()) == {}

"""Indexes of replicas in few words."""

import pytest

from bayplan.cli.serving.refusal_text import refusal_sheet, replicas_text, what_helps

TEXTS = {
    "the whole server": ([], "all"),
    "one": ([3], "3"),
    "a row": ([2, 0, 1], "0-2"),
    "rows": ([0, 1, 5, 7, 8], "0-1, 5, 7-8"),
}


@pytest.mark.parametrize(("indexes", "text"), TEXTS.values(), ids=TEXTS)
def test_replicas(indexes, text):
    assert replicas_text(indexes) == text


def test_equal_answers_share_a_line():
    refused = {"code": "draining", "message": "is draining", "curable": False}
    (row,) = refusal_sheet([("a", 0, refused), ("a", 1, refused)]).rows

    assert row[:4] == ("a", "0-1", "draining", "is draining")


def test_codes_of_others_have_no_next_step():
    assert what_helps("even") == "-"

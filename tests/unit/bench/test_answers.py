"""Explanations at a small size, through the function that users call."""

import pytest
from bench import answers

import bayplan


def test_rows_with_and_without_changes(monkeypatch):
    monkeypatch.setattr(answers, "ROUNDS", 1)
    rows = {row.name: row for row in answers.rows(print, size=40)}

    assert list(rows) == ["placement/why/40", "placement/why/changes/40", "placement/why/gang/40"]
    assert rows["placement/why/changes/40"].goal == 0.4


def test_an_answer_to_another_question_is_found_out(monkeypatch):
    monkeypatch.setattr(bayplan, "why", lambda *given, **options: {"workers": [], "verdict": "infeasible"})

    with pytest.raises(AssertionError, match="does not answer what was asked"):
        list(answers.rows(print, size=40))

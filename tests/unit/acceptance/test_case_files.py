"""No file, no case and no key is lost in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.case_files import CaseError, read_cases, read_disputed, read_folder

ACCEPTANCE = Path(__file__).parents[2] / "acceptance"
GOOD = "format: 1\nclusters: {c: {workers: []}}\ncases:\n- {id: one, says: s}\n- {id: two}\n"


def _file(folder, text, name="f.yaml"):
    path = folder / name
    path.write_text(text)
    return path


def test_cases_are_named_by_file_and_id(tmp_path):
    cases = read_cases(_file(tmp_path, GOOD))

    assert [case.name for case in cases] == ["f::one", "f::two"]
    assert cases[0].body == {"id": "one", "says": "s"}
    assert cases[1].clusters == {"c": {"workers": []}}
    assert not any(case.problem for case in cases)


BROKEN = {
    "no YAML":         ("cases: [", "f::file", "line"),
    "no mapping":      ("- 1", "f::file", "format: 1"),
    "another format":  ("format: 2\ncases: [{id: a}]", "f::file", "format: 1"),
    "unknown key":     ("format: 1\ncases: [{id: a}]\nmore: 1", "f::file", "unknown key 'more'"),
    "no cases":        ("format: 1\ncases: []", "f::file", "at least one case"),
    "empty":           ("", "f::file", "format: 1"),
    "key given twice": ("format: 1\ncases: [{id: a, says: x, says: y}]", "f::file", "'says' is given twice"),
    "no id":           ("format: 1\ncases: [{says: x}]", "f::cases[0]", "not None"),
    "id of another":   ("format: 1\ncases: [{id: a}, {id: a}]", "f::cases[1]", "not 'a'"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "name", "problem"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_a_case_that_fails(text, name, problem, tmp_path):
    case = read_cases(_file(tmp_path, text))[-1]

    assert case.name == name
    assert problem in case.problem


def test_a_folder_is_read_whole(tmp_path):
    _file(tmp_path, GOOD, "b.yaml")
    _file(tmp_path, "cases: [", "a.yml")
    _file(tmp_path, "no case file", "README.md")

    assert [case.name for case in read_folder(tmp_path)] == ["a::file", "b::one", "b::two"]


def test_a_folder_without_cases_fails(tmp_path):
    (empty,) = read_folder(tmp_path)
    (absent,) = read_folder(tmp_path / "absent")

    assert "no *.yaml file in it; set BAYPLAN_CASES" in empty.problem
    assert "absent: no such folder; set BAYPLAN_CASES" in absent.problem


def test_disputed_cases_have_reasons(tmp_path):
    path = _file(tmp_path, "f::one: it asks for 5 cards of 4")

    assert read_disputed(path) == {"f::one": "it asks for 5 cards of 4"}


@pytest.mark.parametrize("text", ["", "[f::one]", "f::one:", "f::one: ' '", "f::one: 3", "f::one: [", "a: x\na: y"])
def test_a_dispute_without_reason_is_an_error(text, tmp_path):
    with pytest.raises(CaseError):
        read_disputed(_file(tmp_path, text))


def test_each_disputed_case_is_there():
    names = {case.name for case in read_folder(ACCEPTANCE / "cases")}

    assert set(read_disputed(ACCEPTANCE / "disputed.yaml")) <= names

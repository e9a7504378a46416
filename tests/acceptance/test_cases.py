"""Every case of every file in BAYPLAN_CASES, by the name FILE::ID."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import bayplan
from acceptance.case_files import Case, CaseError, read_disputed, read_folder
from acceptance.running import mismatches

HERE = Path(__file__).parent
CASES = read_folder(Path(os.environ.get("BAYPLAN_CASES") or HERE / "cases"))
DISPUTED = read_disputed(HERE / "disputed.yaml")


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_case(case: Case, tmp_path: Path, record_property) -> None:
    complaint = _complaint(case, tmp_path)
    if case.name in DISPUTED:
        record_property("disputed", DISPUTED[case.name])
        record_property("would_pass", not complaint)
        pytest.xfail("disputed: " + DISPUTED[case.name])
    if complaint:
        pytest.fail(complaint, pytrace=False)


def _complaint(case: Case, folder: Path) -> str:
    """What is wrong, in the words of the case; a crash of the library keeps its traceback unless it is disputed."""
    try:
        lines = mismatches(case, folder, bayplan)
    except CaseError as error:
        lines = [f"the case cannot be run: {error}"]
    except Exception as error:
        if case.name in DISPUTED:
            return repr(error)
        error.add_note(f"{case.name}: {case.says}")
        raise
    return "\n  ".join([f"{case.name}: {case.says}", *lines]) if lines else ""

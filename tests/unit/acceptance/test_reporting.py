"""What the terminal says at the end, from a pytest of its own over a copy of the runner."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
RUNNER = ROOT / "tests" / "acceptance" / "test_cases.py"

CASES = """\
format: 1
cases:
- {id: good, seed: '000', feature: binpack, says: It holds., estimate: {weights: 4Gi},
   expect: {estimate: {weights_mib: {min: 4096, max: 4096}}}}
- {id: bad, seed: '000', feature: binpack, says: It is too small., estimate: {weights: 4Gi},
   expect: {estimate: {weights_mib: {min: 1, max: 1}}}}
- {id: unknown, seed: '000', feature: binpack, says: Nobody knows it., estimate: {weights: 4Gi}, expect: {guess: 1}}
- {id: wrong, seed: '000', feature: binpack, says: We say no., estimate: {weights: 4Gi},
   expect: {estimate: {weights_mib: null}}}
- {id: crash, seed: '000', feature: binpack, says: It breaks., estimate: {no_such_argument: 1}, expect: {estimate: {}}}
- {id: settled, seed: '000', feature: binpack, says: It holds by now., estimate: {weights: 4Gi},
   expect: {estimate: {weights_mib: {min: 4096, max: 4096}}}}
"""
DISPUTED = "f::wrong: four is known\nf::crash: no such thing\nf::settled: it was wrong once\n"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runner")
    shutil.copy(RUNNER, folder)
    (folder / "conftest.py").write_text("from acceptance.reporting import *\n")
    (folder / "disputed.yaml").write_text(DISPUTED)
    (folder / "cases").mkdir()
    (folder / "cases" / "f.yaml").write_text(CASES)
    return _pytest(folder)


def _pytest(path, **variables):
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "BAYPLAN_"))}
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "-p", "no:cacheprovider", path]
    return subprocess.run(command, cwd=ROOT, env={**env, **variables}, capture_output=True, text=True, check=False)


def test_cases_are_counted(shown):
    assert "acceptance: 1 passed, 2 failed, 3 disputed" in shown.stdout.splitlines()
    assert shown.returncode == pytest.ExitCode.TESTS_FAILED


def test_a_failure_tells_case_sentence_expectation_and_answer(shown):
    assert 'f::bad: It is too small.\n  estimate.weights_mib: expected {"min": 1, "max": 1}, got 4096' in shown.stdout
    assert "f::unknown: Nobody knows it.\n  the case cannot be run: " in shown.stdout


def test_disputed_cases_are_listed_with_their_reasons(shown):
    lines = shown.stdout.splitlines()

    assert "f::wrong: four is known" in lines
    assert "f::crash: no such thing" in lines
    assert "f::settled: it was wrong once (it would pass: take it off the list)" in lines


def test_a_bad_folder_fails(tmp_path):
    done = _pytest(RUNNER, BAYPLAN_CASES=str(tmp_path / "absent"))

    assert "acceptance: 0 passed, 1 failed, 0 disputed" in done.stdout
    assert "absent: no such folder; set BAYPLAN_CASES" in done.stdout
    assert done.returncode == pytest.ExitCode.TESTS_FAILED

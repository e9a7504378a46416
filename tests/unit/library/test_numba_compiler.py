"""Loops compiled by numba: kept in a file that only the user can write, else for this process alone."""

import subprocess
import sys

import numpy as np
import pytest

from bayplan.library import numba_compiler
from bayplan.library.numba_compiler import NumbaCompiler

TEXT = """\
@compiled
def half(number):
    return number / 2


@compiled
def redo(places, rows, level):
    for step in range(len(rows)):
        level[rows[step]] = half(places[step]) if places[step] else inf
    return True
"""


def redone(function):
    level = np.zeros(3)
    assert function(np.array([3, 0]), np.array([2, 1]), level)
    return level.tolist()


@pytest.fixture
def _numba():
    pytest.importorskip("numba")


@pytest.mark.usefixtures("_numba")
def test_compiled_code_is_kept_in_a_file(tmp_path):
    folder = tmp_path / "deep" / "kernels"
    compiler = NumbaCompiler(folder=folder)
    function = compiler.compile(TEXT)

    assert redone(function) == [0.0, np.inf, 1.5]
    assert compiler.compile(TEXT) is function
    (file,) = folder.glob("*.py")
    assert TEXT in file.read_text()
    assert list((folder / "__pycache__").glob("*.nbc"))


LOADED = """\
import pathlib, sys
import numpy as np
from bayplan.library.numba_compiler import NumbaCompiler
level = np.zeros(3)
function = NumbaCompiler(folder=pathlib.Path(sys.argv[1])).compile(sys.argv[2])
assert function(np.array([3, 0]), np.array([2, 1]), level), level
print(level.tolist(), sum(function.stats.cache_hits.values()))
"""


@pytest.mark.usefixtures("_numba")
def test_another_process_loads_what_was_kept(tmp_path):
    """With helpers, which numba looks for in their module."""
    run = [sys.executable, "-c", LOADED, str(tmp_path), TEXT]
    outputs = [subprocess.run(run, check=True, capture_output=True, text=True).stdout for _ in range(2)]

    assert outputs == ["[0.0, inf, 1.5] 0\n", "[0.0, inf, 1.5] 1\n"]


@pytest.mark.usefixtures("_numba")
def test_afresh_throws_away_what_was_kept(tmp_path):
    compiler = NumbaCompiler(folder=tmp_path)
    redone(compiler.compile(TEXT))
    kept = list((tmp_path / "__pycache__").glob("*.nb?"))

    assert redone(compiler.compile(TEXT, afresh=True)) == [0.0, np.inf, 1.5]
    assert kept
    assert not list((tmp_path / "__pycache__").glob("*.nb?"))


@pytest.mark.usefixtures("_numba")
def test_a_file_that_is_right_stays_and_another_is_replaced(tmp_path):
    NumbaCompiler(folder=tmp_path).compile(TEXT)
    (file,) = tmp_path.glob("*.py")
    before, right = file.stat().st_mtime_ns, file.read_text()

    NumbaCompiler(folder=tmp_path).compile(TEXT)
    assert file.stat().st_mtime_ns == before

    file.write_text("raise SystemExit")
    assert redone(NumbaCompiler(folder=tmp_path).compile(TEXT)) == [0.0, np.inf, 1.5]
    assert file.read_text() == right
    assert not list(tmp_path.glob("*.tmp"))


@pytest.mark.usefixtures("_numba")
def test_a_folder_that_others_can_write_is_not_used(tmp_path):
    tmp_path.chmod(0o777)

    assert redone(NumbaCompiler(folder=tmp_path).compile(TEXT)) == [0.0, np.inf, 1.5]
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("_numba")
def test_without_a_folder_code_is_compiled_for_this_process(tmp_path):
    (tmp_path / "file").write_text("")

    assert redone(NumbaCompiler(folder=tmp_path / "file").compile(TEXT)) == [0.0, np.inf, 1.5]


def test_the_folder_is_the_users_own(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert numba_compiler._cache_folder() == tmp_path / "bayplan" / "kernels"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert numba_compiler._cache_folder() == tmp_path / ".cache" / "bayplan" / "kernels"


def test_without_numba_there_is_no_compiled_code(monkeypatch):
    monkeypatch.setattr(numba_compiler.importlib.util, "find_spec", lambda name: None)

    assert NumbaCompiler().compile(TEXT) is None


def test_a_compiler_alone_does_not_load_numba():
    code = "import sys; from bayplan.library.numba_compiler import NumbaCompiler as Made; Made()"
    code += "; sys.exit('numba' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


PLANNED = """\
import sys
import bayplan
workload = {"metadata": {"name": "w"}, "spec": {"gpus": {"count": 1}}}
cluster = {"workers": [{"name": "a", "gpus": [{"index": 0, "model": "A100-SXM4-80GB"}]}]}
bayplan.plan(workload, cluster)
print("numba" in sys.modules)
"""


def test_a_plan_does_not_load_numba():
    run = subprocess.run([sys.executable, "-c", PLANNED], check=False, capture_output=True, text=True)

    assert (run.stdout, run.stderr) == ("False\n", "")

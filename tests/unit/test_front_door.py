"""What `import bayplan` offers, and what it does not load."""

import subprocess
import sys
from importlib.metadata import version

import pytest

import bayplan


def test_the_error_that_users_catch_is_offered():
    from bayplan.framework.errors import BayplanError

    assert bayplan.BayplanError is BayplanError


@pytest.mark.parametrize("part", ["framework", "cluster", "manifests"])
def test_parts_are_attributes(part):
    assert getattr(bayplan, part).__name__ == f"bayplan.{part}"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'bayplan' has no attribute 'shedule'"):
        bayplan.shedule  # noqa: B018 (the access is what is tested)


def test_dir_names_what_is_loaded_lazily():
    assert {"BayplanError", "framework", "__version__"} <= set(dir(bayplan))


def test_the_version_is_that_of_the_package():
    assert bayplan.__version__ == version("bayplan")


FORBIDDEN = ("asyncio", "socket", "sqlite3", "logging", "yaml", "rich", "cyclopts", "orjson", "numba")


def test_the_framework_needs_numpy_alone():
    code = (
        "import sys, bayplan; bayplan.framework; import bayplan.framework.scheduler, bayplan.framework.builtins;"
        "from bayplan.framework.registry import Registry; Registry(bayplan.framework.builtins.builtins());"
        f"print(sorted(set({FORBIDDEN}) & sys.modules.keys()), 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[] True\n"


def test_importing_the_package_loads_nothing_else():
    code = "import sys, bayplan; print([name for name in sys.modules if name.startswith(('bayplan.', 'numpy'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"

import importlib
import subprocess
import sys

import pytest

from bayplan import framework


@pytest.mark.parametrize("name", framework._HOMES)
def test_every_name_leads_home(name, monkeypatch):
    monkeypatch.delitem(vars(framework), name, raising=False)  # as before its first use
    home = importlib.import_module(f"bayplan.framework.{framework._HOMES[name]}")

    assert getattr(framework, name) is getattr(home, name)
    assert vars(framework)[name] is getattr(home, name)
    assert name in dir(framework)


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'Scheduller'"):
        _ = framework.Scheduller


def test_nothing_is_loaded_before_it_is_used():
    code = "import sys, bayplan.framework; sys.exit('numpy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""The framework stands on NumPy alone: importing it brings neither a loop, nor a socket, nor a log."""

from __future__ import annotations

import json
import subprocess
import sys

LOOK = """
import importlib, json, pkgutil, sys
import bayplan.framework
for module in pkgutil.walk_packages(bayplan.framework.__path__, "bayplan.framework."):
    importlib.import_module(module.name)
from bayplan.framework.builtins import builtins
from bayplan.framework.registry import Registry
Registry(builtins())
print(json.dumps(sorted(sys.modules)))
"""
ABSENT = {
    "asyncio", "concurrent", "email", "http", "importlib.metadata", "logging", "multiprocessing", "numba", "orjson",
    "rich", "cyclopts", "socket", "sqlite3", "ssl", "subprocess", "urllib", "yaml",
}  # fmt: skip


def test_importing_every_module_of_the_framework_brings_no_shell_with_it():
    done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))

    assert loaded & ABSENT == set()
    assert "bayplan.framework.registry" in loaded
    assert {name for name in loaded if name.startswith("bayplan.")} == {
        name for name in loaded if name.startswith("bayplan.framework")
    }

"""The example of the library: it runs, it is short, and as a package of its own its plugins are found by name."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parents[2] / "examples" / "library"
SCRIPT = LIBRARY / "harbour.py"

PLUGINS = {"deep-enough": "filter", "snug": "scorer", "nearest": "picker", "high-water-next": "handler"}
ORIGIN = "bayplan-harbour 1.0.0"

CONFIG = """\
plugins:
  - type: deep-enough
  - type: snug
  - type: nearest
  - type: high-water-next
schedulingProfiles:
  - name: now
    plugins: [{pluginRef: deep-enough}, {pluginRef: snug, weight: 2}, {pluginRef: nearest}]
  - name: high-water
    plugins: [{pluginRef: deep-enough}, {pluginRef: nearest}]
"""


def test_the_script_is_short():
    assert len(SCRIPT.read_text().splitlines()) <= 60


def test_the_script_schedules_ships():
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == [
        "Heron now ['In'] {}",
        "Orca now ['Mid'] {'too-shallow': 1}",
        "Titan now [] {'too-shallow': 3}",
        "Titan high-water ['Out'] {'too-shallow': 2}",
    ]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The environment of someone who has installed the example as a package."""
    target = tmp_path_factory.mktemp("site")
    flags = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "install", *flags, "--target", target, LIBRARY]
    subprocess.run(pip, check=True, capture_output=True, text=True)
    return {**os.environ, "PYTHONPATH": str(target)}


def _bayplan(words, env, text=None):
    command = [sys.executable, "-m", "bayplan", *words]
    return subprocess.run(command, env=env, input=text, capture_output=True, text=True, check=True).stdout


def test_an_installed_package_is_listed_with_its_origin(installed):
    listed = json.loads(_bayplan(["plugins", "-o", "json"], installed))["items"]

    found = {item["name"]: item["kinds"] for item in listed if item["origin"] == ORIGIN}
    assert found == {name: [kind] for name, kind in PLUGINS.items()}


def test_an_installed_plugin_is_described(installed):
    described = json.loads(_bayplan(["plugins", "deep-enough", "-o", "json"], installed))

    assert described["reads"] == ["depth_m"]
    assert described["description"].startswith("Refuses a berth")


def test_a_configuration_may_name_installed_plugins(installed):
    shown = json.loads(_bayplan(["config", "show", "-", "-o", "json"], installed, CONFIG))

    assert shown["profileHandler"] == {"pluginRef": "high-water-next"}
    assert [profile["name"] for profile in shown["schedulingProfiles"]] == ["now", "high-water"]

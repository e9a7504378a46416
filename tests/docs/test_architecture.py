"""The page about the house is true: its tree, its floors and its walk are those of the code."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACEMENT = ROOT / "src" / "bayplan" / "placement"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
MOST_MODULES = 60

TRACE = """
import contextlib, importlib, io, json, pkgutil, sys
import bayplan
for module in pkgutil.walk_packages(bayplan.__path__, "bayplan."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)  # what runs while modules are loaded is no part of the walk
from bayplan.cli.main import main
folder, calls = bayplan.__path__[0] + "/", {}
def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(folder):
        calls.setdefault((code.co_filename.removeprefix(folder), code.co_name))
sys.argv = ["bayplan", *sys.argv[1:]]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    sys.setprofile(note)
    main()
sys.setprofile(None)
print(json.dumps(list(calls)))
"""


def section(title):
    return re.split(rf"^#+ {re.escape(title)}$", PAGE, flags=re.MULTILINE)[1].split("\n#")[0]


def modules_of_tree():
    """The paths in the tree: two spaces deeper is inside the last folder that is less deep."""
    folders, found = [], []
    for line in section("The modules of placement").split("```")[1].splitlines()[1:]:
        name = line.split()[0]
        depth = (len(line) - len(line.lstrip())) // 2
        del folders[depth:]
        if name.endswith("/"):
            folders.append(name)
        else:
            found.append("".join((*folders, name)))
    return found


def test_the_tree_has_every_module_of_placement_once():
    there = [path for path in PLACEMENT.rglob("*.py") if path.name != "__init__.py"]

    assert sorted(modules_of_tree()) == sorted(f"placement/{path.relative_to(PLACEMENT)}" for path in there)


def test_the_floors_are_those_of_the_contract():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (floors,) = (each["layers"] for each in contracts if each["name"].startswith("Floors of placement"))
    lines = section("The floors of placement").split("```")[1].splitlines()
    drawn = [re.split(r" {2,}", line.strip())[0] for line in lines]

    assert [line for line in drawn if line] == floors


FILES = re.findall(r"`([\w/]+(?:\.py|/))`", section("The framework in one picture").split("|---|---|")[1])


@pytest.mark.parametrize("path", FILES)
def test_the_files_of_the_framework_are_there(path):
    assert (ROOT / "src" / "bayplan" / "framework" / path).exists()


WALK = re.findall(r"^\| (\d+) \| `([\w/.]+)` \| `(\w+)` \|", section("From file to line"), re.MULTILINE)


def test_the_walk_names_few_modules_each_once():
    modules = [module for _, module, _ in WALK]

    assert [int(number) for number, _, _ in WALK] == list(range(1, len(WALK) + 1))
    assert len(set(modules)) == len(modules) <= MOST_MODULES
    assert modules[0].startswith("cli/")
    assert modules[-1].startswith("cli/")


@pytest.fixture(scope="module")
def calls():
    (command,) = re.findall(r"`bayplan (plan [^`]+)`", section("From file to line"))
    words = [sys.executable, "-c", TRACE, *command.split()]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT)
    return [tuple(each) for each in json.loads(done.stdout)]


def test_the_walk_is_what_the_command_does_in_that_order(calls):
    steps = [(module, function) for _, module, function in WALK]

    assert [step for step in calls if step in set(steps)] == steps


def test_a_demand_has_at_most_eight_shapes_between_document_and_plan():
    rows = re.findall(r"^\| `(\w+)`.*? \| `([\w/.]+)` \|", section("One demand, from document to plan"), re.MULTILINE)

    assert (rows[0][0], rows[-1][0]) == ("Document", "Plan")
    assert 0 < len(rows) - 2 <= 8
    for name, module in rows:
        assert f"class {name}" in (ROOT / "src" / "bayplan" / module).read_text(encoding="utf-8")

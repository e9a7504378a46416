"""Every example of the documentation runs: Python blocks, and consoles that call `bayplan`.

A page is run from top to bottom in a folder that holds a copy of examples/ and nothing else. Its blocks:

    ```python                   is run; names of former blocks of the page are known
    ```text output              stands below it: each line occurs in what it printed
    ```yaml title=config.yaml   is written into the folder under that name (any language)
    ```console                  each `$ bayplan …` is run: each line below it occurs in its output, and it exits
                                with 0, or with the number that `$ echo $?` shows; `$ sed … > FILE` is run by a
                                shell; other commands are not run. `$ bayplan up &` starts a server on a free port
                                with a folder of its own, which the other commands of the page then ask
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from bayplan.cli.main import run
from bayplan_up import RunningServer

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
FENCE = re.compile(r"^```(?P<language>\w+)(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
SKIPPED_LINE = "…"


@dataclass(frozen=True)
class Block:
    language: str
    info: str
    text: str
    page: Path
    line: int

    @property
    def title(self):
        found = re.search(r"title=(\S+)", self.info)
        return found[1] if found else None

    @property
    def place(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks_of(page):
    text = page.read_text(encoding="utf-8")
    return [
        Block(found["language"], found["info"].strip(), found["text"], page, text.count("\n", 0, found.start()) + 2)
        for found in FENCE.finditer(text)
    ]


def runs(block):
    return block.language == "python" or "$ bayplan" in block.text


RUNNING = [page for page in PAGES if any(map(runs, blocks_of(page)))]


@pytest.mark.parametrize("page", RUNNING, ids=[str(page.relative_to(ROOT)) for page in RUNNING])
def test_the_examples_of_a_page_run(page, tmp_path, monkeypatch, capsys):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)
    data = tmp_path / "data"
    monkeypatch.setenv("EDITOR", "true")  # a program that changes nothing
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("BAYPLAN_DATA", str(data))
    monkeypatch.delenv("BAYPLAN_SERVER", raising=False)
    with ExitStack() as servers:
        run_page(page, tmp_path, capsys, module, lambda: servers.enter_context(RunningServer(data)))


def run_page(page, tmp_path, capsys, module, start):
    printed = ""
    for block in blocks_of(page):
        if block.title:
            (tmp_path / block.title).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            code = compile("\n" * (block.line - 1) + block.text, str(page), "exec", dont_inherit=True)
            exec(code, vars(module))  # noqa: S102 - that is what this test is for
            printed = capsys.readouterr().out
        elif block.info == "output":
            assert_shown(block.text, printed, block.place)
        elif block.language == "console":
            run_console(block, capsys, start)


def run_console(block, capsys, start):
    """Run the commands of one console and compare what it shows."""
    status, printed = 0, ""
    for command, shown in commands_of(block.text):
        place = f"{block.place}: {command}"
        words = shlex.split(command)
        if words[:2] == ["bayplan", "up"] and words[-1] == "&":
            start()
        elif words[0] == "bayplan":
            assert status == 0, f"{place}: the command before it failed:\n{printed}"
            status = run(words[1:])
            captured = capsys.readouterr()
            printed = captured.out + captured.err
            assert_shown(shown, printed, place)
        elif words[0] == "sed":
            subprocess.run(["/bin/sh", "-c", command], check=True)
        elif command == "echo $?":
            assert shown.strip() == str(status), f"{place}: exit code {status}"
            status = 0
    assert status == 0, f"{block.place}: exit code {status}:\n{printed}"


def commands_of(text):
    """Each `$ command` with what is shown below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command.partition("  #")[0].strip(), shown


def assert_shown(shown, printed, place):
    """Each line that is shown was printed, in that order; `…` stands for lines that are left out."""
    rest = [squeezed(line) for line in printed.splitlines()]
    for line in filter(None, map(squeezed, shown.splitlines())):
        if line == SKIPPED_LINE:
            continue
        found = next((number for number, each in enumerate(rest) if line in each), None)
        assert found is not None, f"{place}: {line!r} was not printed; printed:\n{printed}"
        rest = rest[found:]


def squeezed(line):
    return " ".join(line.split())


def test_there_are_examples_that_run():
    assert ROOT / "README.md" in RUNNING
    assert sum(runs(block) for page in PAGES for block in blocks_of(page)) > 10

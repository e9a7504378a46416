"""The examples in the dialects of other schedulers: each says in its first lines how to run it and what comes of it."""

import json
import shlex
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bayplan.cli.main import run

ROOT = Path(__file__).parents[2]
CODES = {"fits": 0, "waiting": 2, "infeasible": 2, "partly": 3}


@dataclass
class Promise:
    """What the head of an example says about one workload."""

    verdict: str
    workers: list[str] | None = None
    instead_of: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def promised(path):
    """The command in the head of an example, and the promises below it."""
    head = [line.removeprefix("#") for line in path.read_text().splitlines() if line.startswith("#")]
    start = next(number for number, line in enumerate(head) if line.startswith(" $ "))
    promises = []
    for line in head[start + 1 :]:
        if line.startswith("   on "):
            promises[-1].workers = line.removeprefix("   on ").split(", ")
        elif line.startswith("   instead of "):
            promises[-1].instead_of = line.removeprefix("   instead of ").split(", ")
        elif line.startswith("   warning: "):
            promises[-1].warnings.append(line.strip())
        elif line:
            promises.append(Promise(line.strip()))
        else:
            break
    return shlex.split(head[start].removeprefix(" $ bayplan ")), promises


EXAMPLES = {
    str(path.relative_to(ROOT / "examples")): path
    for dialect in ("alnair", "neuronetes")
    for path in sorted((ROOT / "examples" / dialect).rglob("*.yaml"))
    if "\n# $ bayplan " in path.read_text()
}


@pytest.mark.parametrize("path", EXAMPLES.values(), ids=EXAMPLES)
def test_example(path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    command, promises = promised(path)

    code = run([*(word for word in command if word not in ("-o", "wide")), "-o", "json"])
    answer, warnings = capsys.readouterr()
    run(command)
    shown = capsys.readouterr().out.splitlines()

    plans = json.loads(answer).get("items", [json.loads(answer)])
    assert [each.verdict for each in promises if each.verdict not in shown] == []
    assert len(plans) == len(promises)
    for plan, promise in zip(plans, promises, strict=True):
        workers = sorted({part["worker"] for replica in plan["replicas"] for part in replica["workers"]})
        assert workers == (promise.workers or []) or promise.workers is None
        assert sorted({each["workload"] for each in plan["victims"]}) == promise.instead_of
    codes = {CODES[plan["verdict"]] for plan in plans}
    assert code == (codes.pop() if len(codes) == 1 else CODES["partly"])
    assert [warning for each in promises for warning in each.warnings] == warnings.splitlines()


def test_an_example_names_the_files_beside_it():
    for path in EXAMPLES.values():
        command, _ = promised(path)
        files = [word for word in command if word.startswith("examples/")]
        assert path.relative_to(ROOT).as_posix() in files
        assert {Path(word).parent for word in files} == {path.parent.relative_to(ROOT)}


def test_every_file_of_an_example_is_used():
    used = {ROOT / word for path in EXAMPLES.values() for word in promised(path)[0]}
    folders = [ROOT / "examples" / dialect for dialect in ("alnair", "neuronetes")]
    assert {path for folder in folders for path in folder.rglob("*") if path.is_file()} <= used

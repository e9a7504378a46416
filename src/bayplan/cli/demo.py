"""`bayplan demo`: a short tour of what works today. Everything it prints comes from the library."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from bayplan import bootstrap
from bayplan.cli.config.reading import parse
from bayplan.cli.demo_fleet import WORKERS, Need, scheduler
from bayplan.cli.output import Sheet, draw, heading
from bayplan.cli.text import columns, write
from bayplan.framework.errors import ConfigError
from bayplan.manifests.reader import read_text

if TYPE_CHECKING:
    from bayplan.framework.evaluation.explain import Explanation
    from bayplan.framework.outcome import Outcome

MODELS = (("chat-8b", 20_000), ("coder-24b", 40_000), ("embedder", 8_000))
TOO_LARGE = ("frontier-400b", 160_000)

BROKEN_CONFIG = """\
scheduler: placement
plugins:
  - type: max-scor
  - type: sample
    parameters: {count: many}
schedulingProfiles:
  - name: pack
    plugins:
      - pluginRef: sample
        weight: 2
      - pluginRef: binpack
"""


def demo() -> None:
    """Take a short tour: a fleet, decisions with reasons, an honest no, a broken configuration."""
    _fleet()
    _decisions()
    _refusals()
    _nothing_fits()
    _broken_config()
    _try_next()


def _fleet() -> None:
    heading("1. Six workers, as a table of columns")
    rows = [
        (name, "yes" if ready else "no", str(total), str(free), f"{usd:.2f}")
        for name, ready, total, free, usd in WORKERS
    ]
    draw(Sheet(("WORKER", "READY", "TOTAL MiB", "FREE MiB", "USD/H"), rows))


def _decisions() -> None:
    heading("\n2. Three models, each on what the former ones would leave; a score is the sum of its parts")
    rows, parts = [], []
    for outcome in _schedule(MODELS):
        (pick,) = outcome.picked
        left_mib = pick.resolution.value if pick.resolution else None
        parts = [f"{term.scorer} x {term.weight:g}" for term in pick.terms]
        shares = [f"{term.contribution:.3f}" for term in pick.terms]
        rows.append((str(outcome.subject), pick.key, f"{pick.total:.3f}", *shares, str(left_mib)))
    draw(Sheet(("MODEL", "WORKER", "SCORE", *parts, "LEAVES MiB"), rows))


def _refusals() -> None:
    name, _ = MODELS[1]
    heading(f"\n3. Why {name} went nowhere else: every candidate is accounted for")
    outcome = _schedule(MODELS)[1]
    explanation = outcome.explanations["pack"]
    for place, ranked in enumerate(explanation.ranked(), 1):
        write(f"  {ranked.key}: fits, place {place}, score {ranked.total:.3f}\n")
    _write_rejections(explanation)


def _nothing_fits() -> None:
    name, need_mib = TOO_LARGE
    heading(f"\n4. {name} asks for {need_mib} MiB: nothing fits, and that is an answer")
    (outcome,) = _schedule((TOO_LARGE,))
    (run,) = outcome.results.values()
    counts = ", ".join(f"{code} on {count}" for code, count in outcome.explanations[run.name].counts().items())
    write(f"  {run.status}: {counts} of {len(WORKERS)} workers\n")


def _broken_config() -> None:
    heading("\n5. A broken configuration: all its problems at once, with line and next step")
    for number, line in enumerate(BROKEN_CONFIG.splitlines(), 1):
        write(f"  {number:2} | {line}\n")
    (document,) = read_text(BROKEN_CONFIG, "broken.yaml")
    try:
        parse(document, bootstrap.registry())
    except ConfigError as error:
        for problem in error.problems:
            write(f"  error: {problem}\n")


def _try_next() -> None:
    heading("\nNext")
    command = _command()
    rows = [
        (f"{command} plugins", "what can stand in a configuration"),
        (f"{command} config schema", "the JSON Schema for your editor"),
        (f"{command} config check FILE", "find every problem of a configuration"),
        ("examples/library/harbour.py", "in the repository: schedule something of your own in 60 lines"),
    ]
    write(columns(rows, indent="  "))


def _command() -> str:
    """How the reader can call it again: by its name, or by its path where the name would not be found."""
    called = sys.argv[0]
    return called if Path(called).name == "bayplan" and which("bayplan") is None else "bayplan"


def _schedule(models: tuple[tuple[str, int], ...]) -> list[Outcome]:
    return scheduler().schedule_many([(name, Need(memory_mib)) for name, memory_mib in models], explained=True)


def _write_rejections(explanation: Explanation) -> None:
    for row, rejections in sorted(explanation.rejections().items()):
        for rejection in rejections:
            cure = "eviction could help" if rejection.curable else "eviction cannot help"
            write(f"  {explanation.keys[row]}: {rejection.code}: {rejection.message} ({cure})\n")

"""`python -m bench`: run suites by name, print a table, write the rows."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.measure import Row

SUITES = (
    *("framework", "placement", "gangs", "packing", "store", "system", "access", "engine", "metrics", "routing"),
    *("gateway", "serving"),
)
WITH_DATA = ("packing", "routing")
RESULTS = Path(__file__).with_name("results.json")
HEADINGS = ("name", "value", "unit", "goal", "met", "baseline", "ratio")


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit 0 when the figures were taken, also where a goal is missed: the rows say which."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure, print and write rows.")
    parser.add_argument("--only", choices=SUITES, help="run this suite alone")
    parser.add_argument("--data", type=Path, help="a folder of inputs, for suites that replay some")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the rows go (default: bench/results.json)")
    options = parser.parse_args(arguments)
    if not options.out.parent.is_dir():
        parser.error(f"--out: there is no folder {options.out.parent}; create it first")
    found = measure([options.only] if options.only else SUITES, _say, options.data)
    show(found)
    write(found, options.out)
    missed = [row.name for row in found if row.met is False]
    _say(f"{len(found)} rows in {options.out}; goals missed: {', '.join(missed) or 'none'}")
    return 0


def measure(suites: Sequence[str], say: Callable[[str], None], data: Path | None = None) -> list[Row]:
    """The rows of these suites; each suite is a module of this package with `rows(say)`, or `rows(say, data)`."""
    found: list[Row] = []
    for suite in suites:
        given = (say, data) if suite in WITH_DATA else (say,)
        for row in importlib.import_module(f"bench.{suite}").rows(*given):
            say(f"{row.name}: {_number(row.value)} {row.unit}")
            found.append(row)
    return found


def show(found: Sequence[Row]) -> None:
    """A table on a terminal, tab-separated lines in a pipe."""
    lines = [_cells(row) for row in found]
    console = Console()
    if not console.is_terminal:
        for line in (HEADINGS, *lines):
            print("\t".join(line))
        return
    table = Table(*HEADINGS)
    for line, row in zip(lines, found, strict=True):
        table.add_row(*line, style="red" if row.met is False else None)
    console.print(table)


def write(found: Sequence[Row], out: Path) -> None:
    """The rows as JSON, in the form that the contract fixes."""
    out.write_text(json.dumps([row.as_dict() for row in found], indent=2) + "\n", encoding="utf-8")


def _cells(row: Row) -> tuple[str, ...]:
    goal = "" if row.goal is None else f"{row.op} {_number(row.goal)}"
    met = {True: "yes", False: "no", None: ""}[row.met]
    return (row.name, _number(row.value), row.unit, goal, met, _number(row.baseline), _number(row.ratio))


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

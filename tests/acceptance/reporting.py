"""Pytest hooks that count disputed cases by themselves and end with one line about all cases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

_CASE = re.compile(r"test_cases\.py::test_case\[(?P<name>.+)\]$")


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    if report.when == "call" and "disputed" in dict(report.user_properties):
        return "disputed", "d", "DISPUTED"
    return None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None, Any, Any]:
    """Speaks last, after pytest's own list of failures."""
    result = yield
    reports = {
        outcome: [report for report in terminalreporter.stats.get(outcome, []) if _CASE.search(report.nodeid)]
        for outcome in ("passed", "failed", "error", "disputed")
    }
    if any(reports.values()):
        _summarize(terminalreporter, **reports)
    return result


def _summarize(terminal: pytest.TerminalReporter, passed: list, failed: list, error: list, disputed: list) -> None:
    if disputed:
        terminal.section("disputed cases")
    for report in disputed:
        terminal.write_line(_disputed_line(report))
    counts = f"{len(passed)} passed, {len(failed) + len(error)} failed, {len(disputed)} disputed"
    terminal.write_line(f"acceptance: {counts}")


def _disputed_line(report: pytest.TestReport) -> str:
    properties = dict(report.user_properties)
    found = _CASE.search(report.nodeid)
    name = found["name"] if found else report.nodeid
    would_pass = " (it would pass: take it off the list)" if properties["would_pass"] else ""
    return f"{name}: {properties['disputed']}{would_pass}"

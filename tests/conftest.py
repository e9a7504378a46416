"""Hypothesis profiles (`ci` looks long, `mutation` briefly), the count of acceptance cases, order and logs."""

import logging
import os

import pytest
from hypothesis import HealthCheck, settings

# Here and not beside the cases: with several processes only this file is read by the one that reports.
from acceptance.reporting import pytest_report_teststatus, pytest_terminal_summary  # noqa: F401 (hooks)

settings.register_profile(
    "ci",
    max_examples=300,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("mutation", settings.get_profile("ci"), max_examples=30, derandomize=True, database=None)
settings.load_profile(os.environ.get("BAYPLAN_HYPOTHESIS", "ci"))

LONG = ("test_system_machine.py", "test_machine.py", "test_system_kills.py")
"""Files whose tests take a minute each: they come first, so that no process is left alone with them at the end."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.name not in LONG)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    """Commands that a test runs in this process set their logs up; the next test finds them as they were."""
    loggers = [logging.getLogger(name) for name in ("bayplan", "bayplan.decisions", "asyncio")]
    before = [(each.handlers[:], each.level, each.propagate) for each in loggers]
    done = yield
    for each, (handlers, level, propagate) in zip(loggers, before, strict=True):
        each.handlers[:], each.level, each.propagate = handlers, level, propagate
    return done

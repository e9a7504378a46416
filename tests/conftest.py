"""Hypothesis profiles (`ci` looks long, `mutation` briefly, once a mutant) and the count of acceptance cases."""

import os

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

"""Hypothesis profiles: `ci` looks long, `mutation` looks briefly because it is run once a mutant."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci",
    max_examples=300,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("mutation", settings.get_profile("ci"), max_examples=30, derandomize=True, database=None)
settings.load_profile(os.environ.get("BAYPLAN_HYPOTHESIS", "ci"))

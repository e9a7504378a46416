"""Every test of this folder runs on every implementation."""

import pytest

from contracts.store.implementations import IMPLEMENTATIONS, play


@pytest.fixture(params=IMPLEMENTATIONS)
def implementation(request):
    return IMPLEMENTATIONS[request.param]


@pytest.fixture
def on_store(implementation, tmp_path):
    """Run a scenario on a store; a second call opens the same folder again."""

    def run(scenario, **options):
        return play(implementation, tmp_path / "data", scenario, **options)

    return run

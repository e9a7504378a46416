"""Goals of metrics and of classes."""

from __future__ import annotations

import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.workloads.neuronetes_checks import target


@pytest.mark.parametrize(("value", "goal"), [(100, 100.0), ("100", 100.0), ("500ms", 0.5), ("0.01", 0.01), ("1s", 1.0)])
def test_goals(value, goal):
    assert target(value) == goal


@pytest.mark.parametrize("value", ["soon", -1, None, []])
def test_no_goals(value):
    with pytest.raises(InputError, match="is no goal"):
        target(value)

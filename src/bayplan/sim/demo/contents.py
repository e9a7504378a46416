"""The files of the demo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bayplan.sim.fleet.scenario_file import read_scenario_file

if TYPE_CHECKING:
    from bayplan.sim.fleet.scenario import Scenario

NAMESPACE = "demo"
"""Everything of the demo is in this namespace, but for its Cluster, which has the same name."""

_FOLDER = Path(__file__).parent
GPUSTACK = "5-gpustack.yaml"
"""The one file that holds no object of an API: it is turned into a Workload first."""


def demo_scenario() -> Scenario:
    """The fleet of the demo."""
    scenario, _ = read_scenario_file(_FOLDER / "fleet.yaml")
    return scenario


def demo_manifests() -> list[Path]:
    """The examples of every dialect, in the order in which they are applied."""
    return sorted((_FOLDER / "manifests").glob("*.yaml"))

"""docs/engine.md names everything that a client can use."""

from pathlib import Path

import pytest

from bayplan.sim.engine.batching.timing import PROFILES
from bayplan.sim.engine.faults import Faults
from bayplan.sim.engine.http.routes import Routes

PAGE = (Path(__file__).parents[2] / "docs" / "engine.md").read_text(encoding="utf-8")


def test_every_metric(engine):
    for name in engine.metrics().kinds:
        assert f"`{name.removeprefix('vllm:')}`" in PAGE


@pytest.mark.parametrize("field", Faults().as_dict())
def test_every_fault(field):
    assert f"`{field}`" in PAGE.split("## Faults")[1]


def test_every_path():
    paths = PAGE.split("## Paths")[1].split("\n## ")[0]

    for path in Routes(None)._paths:
        assert path in paths


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_every_profile(profile):
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{profile.name}` |")]
    timing = profile.timing
    told = (
        f"{timing.base_s * 1e3:g} ms",
        f"{timing.prefill_s * 1e6:g} µs",
        f"{timing.position_s * 1e9:g} ns",
        f"{timing.context_s * 1e9:g} ns",
        f"{profile.kv_tokens:,} tokens",
        f"{profile.step_tokens:,}",
    )

    assert [cell.strip() for cell in row.split("|")[2:8]] == list(told)

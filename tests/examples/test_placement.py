"""The example of a scorer for placement: installed as a package, a plan's configuration names it."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bayplan
from bayplan.framework.contract_check import check_plugin
from bayplan.framework.table import Table

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "examples" / "placement"
FILES = ["-f", "examples/workloads/chat-8b.yaml", "--cluster", "examples/clusters/mixed-fleet.yaml"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The environment of someone who has installed the example as a package."""
    target = tmp_path_factory.mktemp("site")
    flags = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "install", *flags, "--target", target, PACKAGE]
    subprocess.run(pip, check=True, capture_output=True, text=True)
    return {**os.environ, "PYTHONPATH": str(target)}


def _bayplan(env, *words):
    command = [sys.executable, "-m", "bayplan", *words, "-o", "json"]
    return json.loads(subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def test_the_cheapest_workers_are_taken_first(installed):
    plan = _bayplan(installed, "plan", *FILES, "--config", "examples/placement/thrifty.yaml")

    workers = {part["worker"] for replica in plan["replicas"] for part in replica["workers"]}
    assert plan["verdict"] == "fits"
    assert {name.split("-")[0] for name in workers} == {"desk"}


def test_its_part_of_the_score_is_told(installed):
    why = _bayplan(installed, "why", *FILES, "--config", "examples/placement/thrifty.yaml", "--worker", "desk-0")

    terms = {term["plugin"]: term for term in why["workers"][0]["score"]["terms"]}
    assert terms["thrift"]["weight"] == 3
    assert terms["thrift"]["score"] == pytest.approx(1 - 0.70 / 60)


def test_without_the_package_the_configuration_is_refused():
    workload = {"metadata": {"name": "chat"}, "spec": {"gpus": {"count": 1}}}
    with pytest.raises(bayplan.BayplanError, match="no plugin is called 'thrift'"):
        bayplan.plan(workload, {"workers": []}, config={"plugins": [{"type": "thrift"}]})


def test_it_keeps_the_promises_of_a_plugin():
    spec = importlib.util.spec_from_file_location("thrift", PACKAGE / "thrift.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    table = Table(static={"usd_per_hour": np.array([-1.0, 0.0, 0.7, 55.04, 1e6])})

    assert check_plugin(module.Thrift(60.0), table, ["anything"]) == []

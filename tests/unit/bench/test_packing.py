"""The replay of traces: files in, buckets out, on a trace of a dozen workloads."""

import numpy as np
import pytest
from bench import openb, packing
from bench.__main__ import measure
from bench.packing import POLICIES, replay

from bayplan.placement.asks.ask import Taking

NODES = """sn,cpu_milli,memory_mib,gpu,model
node-a,32000,131072,2,P100
node-b,64000,262144,8,G2
node-c,96000,393216,8,T4
"""
PODS = """name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec
p0,4000,8192,1,1000,
p1,2000,4096,1,300,
p2,2000,4096,1,700,T4|P100
p3,8000,16384,8,1000,
p4,3000,1024,0,0,
p5,4000,8192,2,1000,G2
"""
RESULTS = """workload,sc_policy,tune,seed,total_gpus,100,130
openb_pod_list_tiny,06-FGD,1.3,42,18,50.0,
openb_pod_list_tiny,06-FGD,1.3,43,18,70.0,
openb_pod_list_other,06-FGD,1.3,42,18,10.0,
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "openb_node_list_gpu_node.csv").write_text(NODES)
    (tmp_path / "openb_pod_list_tiny.csv").write_text(PODS)
    (tmp_path / "arrivals").mkdir()
    (tmp_path / "expected_results").mkdir()
    (tmp_path / "expected_results" / "allocation.csv").write_text(RESULTS)
    for seed, order in {42: [4, 3, 1, 2, 3, 0, 5, 0], 43: [0, 2, 1, 0, 3, 4, 3, 5]}.items():
        np.save(tmp_path / "arrivals" / f"tiny_seed{seed}.npy", np.array(order, np.int32))
    return tmp_path


def test_workers_and_workloads_are_read(folder):
    (trace,) = openb.traces(folder)

    assert [(each.name, len(each.gpus)) for each in openb.workers(folder)] == [
        ("node-a", 2), ("node-b", 8), ("node-c", 8),
    ]  # fmt: skip
    assert [each.taking for each in trace.asks] == [
        Taking.WHOLE, Taking.SHARE, Taking.SHARE, Taking.WHOLE, Taking.NOTHING, Taking.WHOLE,
    ]  # fmt: skip
    assert [openb.size_milli(each) for each in trace.asks] == [1000, 300, 700, 8000, 0, 2000]
    assert sorted(trace.arrivals) == [42, 43]


def test_published_rows_are_means_over_the_same_seeds(folder):
    assert openb.published(folder, "tiny", {42, 43}) == {"06-FGD": {100: 60.0}}
    assert openb.published(folder, "tiny", {42}) == {"06-FGD": {100: 50.0}}
    assert openb.published(folder, "unknown", {42}) == {}


DROPPED = {
    "all fits": ((3, 3, 0, 0), 100.0),
    "of another model": ((3, 3, 5), 88.89),
    "shares fill cards up": ((3, 3, 2, 2, 1, 1), 100.0),
}  # fmt: skip


@pytest.mark.parametrize(("places", "given"), DROPPED.values(), ids=DROPPED)
def test_what_fits_nowhere_is_dropped_and_has_arrived(folder, places, given):
    (trace,) = openb.traces(folder)
    found = replay(openb.workers(folder), [trace.asks[place] for place in places], "best-fit", trace.asks)

    assert found[100] == pytest.approx(given, abs=0.01)


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_replays_and_repeats_itself(folder, policy):
    (trace,) = openb.traces(folder)
    arriving = [trace.asks[place] for place in trace.arrivals[42]]
    found, again = (replay(openb.workers(folder), arriving, policy, trace.asks) for _ in range(2))

    assert found == again
    assert all(0.0 <= value <= 100.0 for value in found.values())


def test_rows(folder, monkeypatch):
    monkeypatch.setenv("POLICIES", "headroom,best-fit")
    said = []
    found = {row.name: row for row in measure(["packing"], said.append, folder)}

    assert {name.rsplit("/", 1)[0] for name in found} >= {"packing/tiny/headroom", "packing/tiny/best-fit"}
    full = found["packing/tiny/headroom/100"]
    assert (full.goal, full.op, full.baseline) == (60.0, ">=", 60.0)
    assert found["packing/tiny/best-fit/100"].goal is None


def test_without_traces_it_says_so(tmp_path):
    said = []

    assert list(packing.rows(said.append, tmp_path)) == []
    assert said == ["packing: no traces; give a folder with arrivals/ by --data"]


def test_names_of_workers_do_not_matter(folder):
    """Renamed, the same machines are given away to the same extent: rows move, and equals among them."""
    (trace,) = openb.traces(folder)
    arriving = [trace.asks[place] for place in trace.arrivals[43]]
    plain = openb.workers(folder)
    text = (folder / "openb_node_list_gpu_node.csv").read_text()
    (folder / "openb_node_list_gpu_node.csv").write_text(text.replace("node-", "zz-"))

    assert replay(plain, arriving, "headroom", trace.asks) == replay(
        openb.workers(folder), arriving, "headroom", trace.asks
    )

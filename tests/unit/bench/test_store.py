"""The benchmark of the store: its rows are complete, and its clients count what the server really did."""

import json

import pytest
from bench import store
from bench.store_clients import Job
from bench.store_objects import KINDS, body
from bench.store_server import server

GOALS = {
    "store/https/creates-16-clients",
    "store/http/creates-16-clients",
    "store/https/kept-creates-16-clients",
    "store/http/kept-creates-16-clients",
    "store/https/creates-16-of-plain",
    "store/http/creates-16-of-plain",
    "store/https/watch-100/cpu-per-event",
    "store/http/watch-100/cpu-per-event",
    "store/list-20-nodes/objects",
    "store/list-20-nodes/table",
    "store/memory-60-objects",
    "store/hostile/worst-answer",
}


def test_objects_have_the_size_of_real_ones():
    assert 2_000 < len(body("nodes", "node-1")) < 4_000
    assert json.loads(body("pods", "pod-1", team="x"))["metadata"]["labels"]["team"] == "x"
    assert set(KINDS) == {"nodes", "pods"}


def test_every_goal_has_a_row(monkeypatch):
    monkeypatch.setattr(store, "hostile_rows", lambda _: [store.Row("store/hostile/worst-answer", 1, "ms", 250, "<=")])

    rows = list(store.rows(lambda _: None, lasts_s=0.1, nodes=20, objects=60))

    assert {row.name for row in rows if row.goal is not None} == GOALS
    assert all(row.value > 0 for row in rows)


def test_the_clients_say_what_went_wrong(tmp_path):
    with server(tmp_path / "data", tls=False) as process:
        process.clients("create", kind="pods", prefix="a", clients=1, most=3)

        with pytest.raises(RuntimeError, match="answered 409"):
            process.clients("create", kind="pods", prefix="a", clients=1, most=3)


def test_a_job_names_its_server():
    assert Job({"port": 1, "tls": False, "token": ""}).given["port"] == 1

"""The benchmark of routing runs, small; its figures are not judged here."""

import json
from functools import partial
from types import SimpleNamespace

import pytest
from bench import routing, routing_cases, routing_peer, routing_replay, scraping

from bayplan.sim.routing.result import CRITERIA

SMALL = {"REQUESTS": 40, "ROUNDS": 1}


def lines(count):
    """Conversations of three turns that begin with the same block."""
    for number in range(count):
        talk, turn = number // 3, number % 3
        blocks = [0, *(100 + 10 * talk + place for place in range(turn + 2))]
        yield json.dumps(
            {"timestamp": 500 * number, "input_length": 512 * len(blocks), "output_length": 5, "hash_ids": blocks}
        )


@pytest.fixture
def data(tmp_path):
    (tmp_path / "mooncake_conversation_trace.jsonl").write_text("\n".join(lines(60)), encoding="utf-8")
    table = "\n".join(f"2023-11-16 18:17:{second:02d}.5000000,900,7" for second in range(40))
    for name in ("azure2023_code.csv", "azure2023_conv.csv"):
        (tmp_path / name).write_text(f"TIMESTAMP,ContextTokens,GeneratedTokens\n{table}\n", encoding="utf-8")
    return tmp_path


def test_costs_of_decisions(monkeypatch):
    for name, value in SMALL.items():
        monkeypatch.setattr(routing, name, value)
    small = partial(scraping.rows, calls=2, foreign=10, scrapes=5)
    monkeypatch.setattr(routing, "scraping", SimpleNamespace(rows=small))
    heard = []

    found = {row.name: row for row in routing.rows(heard.append, None)}

    assert {name.split("/")[1] for name in found} == {"decision", "whole-decision", "burst", "flow-control", "scrape"}
    assert all(row.value > 0 for row in found.values())
    assert found["routing/burst/gie-defaults/to-the-idle-one-of-8"].met
    assert found["routing/burst/own/to-the-idle-one-of-8"].met
    assert {"routing/scrape/read", "routing/whole-decision/own/100k-token-ids"} <= set(found)
    assert "DATA" in heard[-1]


def test_the_peer_picks_what_the_router_picks():
    made = routing.router(routing.config(routing_peer.WEIGHTS, routing.FILTERS))
    (request,) = routing.parsed(made, routing.bodies(1, 400))

    (answer,) = made.arrive(request, 1.0)

    plain = routing_peer.endpoints(routing.ENDPOINTS)
    chosen = routing_peer.choose_and_reserve(plain, routing.MODEL)
    assert answer.picked[0].name == f"engine-{plain.index(chosen)}"


def test_a_peer_without_candidates_picks_none():
    assert routing_peer.choose_and_reserve([], "m") is None


def test_every_case_can_be_replayed(data):
    for case in routing_cases.CASES.values():
        result = case.scenario(data).replay(case.policies[-1], 2.0)
        assert all(each.ttft_s is not None for each in result.served), case.name


def test_rows_of_a_replay(data, monkeypatch):
    name = f"{routing_cases.HALF}/8"
    few = {name: routing_cases.Case(name, routing_cases.HALF, policies=("gie", "late"), guess=20.0)}
    monkeypatch.setattr(routing_replay, "CASES", few)
    monkeypatch.setattr(routing_replay, "_goals_on_eight", lambda found, case: iter(()))
    monkeypatch.setattr(routing_replay, "_goals_of_all", lambda found: iter(()))

    found = {row.name: row for row in routing_replay.rows(lambda _: None, data)}

    assert f"routing/{routing_cases.HALF}/8/late/A" in found
    assert found["routing/goal/tails/late/worst-session-of-its-line"].value > 0
    assert found[f"routing/{routing_cases.HALF}/8/late/B"].ratio > 0


def test_goals_are_met_by_figures_that_meet_them():
    speeds = {"gie": 1.0, "gie-here": 1.1, "rr": 0.4, "bound": 2.5, "late": 2.3, "early": 1.5, "gie x 4": 1.0}
    same = dict.fromkeys(CRITERIA, 1.0)
    found = {
        name: {policy: {key: speeds.get(policy, 1.2) for key in same} for policy in case.policies}
        for name, case in routing_cases.CASES.items()
    }
    found[f"{routing_cases.HALF}/4-routers"]["late x 4"] = dict.fromkeys(CRITERIA, 1.4)

    rows = [row for case in found for row in routing_replay._goals_of(case, found)]
    rows += routing_replay._goals_of_all(found)

    assert [row.name for row in rows if row.met is False] == []
    assert sum(row.goal is not None for row in rows) >= 25


def test_a_regret_is_found():
    found = {"case": {policy: dict.fromkeys(CRITERIA, 1.0) for policy in routing_cases.ALL}}
    found["case"]["least"] = dict.fromkeys(CRITERIA, 1.2)

    assert routing_replay._no_regret(found).met is False

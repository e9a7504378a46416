"""The tour says what the library answers; each of its stations is held against the document behind it."""

import json
import re
from pathlib import Path

import pytest

import bayplan
from bayplan.cli.main import run
from bayplan.cli.tour import CHANGE
from bayplan.cli.tour_fleet import CHAT, FLEET, MODEL, TRAINING, long_chat

ROOT = Path(__file__).parents[3]


def _tour(capsys, *flags):
    assert run(["tour", *flags]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def _station(out, number):
    return re.split(r"^\d\. .*\n|^Next$", out, flags=re.MULTILINE)[number]


def test_the_tour_has_its_six_stations_and_a_next_step(capsys):
    out = _tour(capsys)

    assert re.findall(r"^(\d)\. ", out, re.MULTILINE) == list("123456")
    assert "\nNext\n" in out


def test_the_need_is_that_of_the_estimate(capsys):
    station = _station(_tour(capsys), 1)

    estimate = bayplan.estimate(**MODEL, pp=1)
    assert f"weights {estimate['weights_mib'] // 1024} GiB" in station
    assert [int(line.split()[0]) for line in station.splitlines()[2:] if line] == [
        row["gpus"] for row in estimate["per_gpu"]
    ]


def test_every_model_of_card_is_counted(capsys):
    station = _station(_tour(capsys), 2)

    for each in bayplan.gpus(FLEET)["models"]:
        counts = [str(each[key]) for key in ("cards", "whole", "shared", "held")]
        assert [each["model"], *counts] in [line.split()[:5] for line in station.splitlines()]


@pytest.mark.parametrize(("number", "workload"), [(3, CHAT), (5, long_chat(**CHANGE))])
def test_the_model_stands_where_the_plan_says(capsys, number, workload):
    station = _station(_tour(capsys), number)

    plan = bayplan.plan(workload, FLEET)
    (replica,) = plan["replicas"]
    assert f"{plan['workload']}: fits, 1 of 1 replica placed" in station
    assert all(part["worker"] in station for part in replica["workers"])
    assert f"engine arguments: {' '.join(replica['engine_args'])}\n" in station


def test_what_does_not_fit_is_told_with_the_change_that_is_made_next(capsys):
    station = _station(_tour(capsys), 4)

    why = bayplan.why(long_chat(), FLEET)
    assert why["verdict"] == "waiting"
    assert not any(worker["feasible"] for worker in why["workers"])
    (made,) = [change for change in why["changes"] if change["change"] in CHANGE]
    assert made["detail"] in station


@pytest.mark.parametrize("folder", [ROOT, ROOT / "src"], ids=["in a clone", "elsewhere"])
def test_the_files_to_try_next_are_there(capsys, monkeypatch, folder):
    monkeypatch.chdir(folder)
    words = re.search(r"plan -f (\S+) --cluster (\S+)", _station(_tour(capsys), 7)).groups()

    assert words == ("WORKLOAD", "CLUSTER") or all(Path(word).exists() for word in words)
    assert (words == ("WORKLOAD", "CLUSTER")) == (folder != ROOT)


def test_as_json_it_is_one_document_with_the_six_answers(capsys):
    document = json.loads(_tour(capsys, "-o", "json"))

    assert document["kind"] == "Tour"
    assert [item["kind"] for item in document["items"]] == ["Estimate", "Gpus", "Plan", "Why", "Plan", "Plan"]
    assert not any(item["warnings"] for item in document["items"])


def test_the_gang_says_who_would_have_to_go(capsys):
    station = _station(_tour(capsys), 6)

    plan = bayplan.plan(TRAINING, FLEET)
    assert "finetune: fits, 2 of 2 replicas placed" in station
    assert [each["workload"] for each in plan["victims"]] == ["pretraining"]
    assert plan["victims"][0]["reason"] in station

import json

import pytest

from bayplan.cli.main import run
from unit.sizing.writers import write_config

NUMBERS = ["--weights", "14Gi", "--kv-cache", "4Gi", "--overhead", "1Gi"]


def test_a_document_for_programs(tmp_path, capsys):
    write_config(tmp_path)

    assert run(["estimate", str(tmp_path), "--context", "8192", "--concurrency", "4", "-o", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["kind"] == "Estimate"
    assert document["weights_mib"] == pytest.approx(15317, abs=2)
    assert document["kv_mib"] == 4096


def test_every_number_has_its_source(tmp_path, capsys):
    write_config(tmp_path)
    run(["estimate", str(tmp_path), "--context", "8192"])

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["PART", "GiB", "SOURCE"]
    assert lines[1].split("  ")[0] == "weights"
    assert "config.json: 8.03 billion weights, 16 bits" in lines[1]
    assert "8,192 tokens x 1, 2 bytes a value" in lines[2]
    assert all(len(line.split("  ")) >= 3 for line in lines[1:6])


def test_shapes_for_people(capsys):
    run(["estimate", *NUMBERS, "--architecture", "heads=28, kvHeads=4,layers=28", "--pp", "1"])

    lines = capsys.readouterr().out.splitlines()[7:]
    assert lines[0].split() == ["CARDS", "TP", "PP", "GiB", "PER", "CARD", "FITS", "ON"]
    assert [line.split()[:4] for line in lines[1:]] == [
        ["1", "1", "1", "19.0"],
        ["2", "2", "1", "10.0"],
        ["4", "4", "1", "5.5"],
    ]
    assert lines[1].endswith(" more")


def test_wide_names_every_card(capsys):
    run(["estimate", *NUMBERS, "--tp", "1", "--pp", "1", "-o", "wide"])

    assert capsys.readouterr().out.rstrip().endswith("MI325X")


def test_unknown_is_an_answer(capsys):
    assert run(["estimate", "--weights", "40Gi"]) == 0

    shown = capsys.readouterr()
    assert "KV cache     unknown" in shown.out
    assert "FITS" not in shown.out
    assert shown.err.startswith("warning: the KV cache is unknown; give model.kvCache")


def test_all_flags_reach_the_function(capsys):
    flags = ["--lora", "1Gi", "--lora", "2Gi", "--draft", "3Gi", "--backend", "sglang", "--tp", "2", "--pp", "2"]
    run(["estimate", *NUMBERS, *flags, "--kv-dtype", "fp8", "-o", "json"])

    document = json.loads(capsys.readouterr().out)
    assert document["weights_mib"] == 20 * 1024
    assert (document["backend"], document["per_gpu"][0]["gpus"]) == ("sglang", 4)


REFUSED = {
    "nothing":           ([], "error: bayplan estimate: there is nothing to size; name a model's folder"),
    "a wrong size":      (["--weights", "x"], "error: estimate: model.weights: 'x' is not a number"),
    "no such model":     (["/nowhere"], "error: /nowhere: there is no such file or folder"),
    "no such backend":   (["--weights", "1Gi", "--backend", "vlm"], "error: backend.name: no backend is called 'vlm'"),
    "no numbers":        (["--weights", "1Gi", "--architecture", "many"], "error: --architecture: 'many' is no list"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "message"), REFUSED.values(), ids=REFUSED)
def test_errors(words, message, capsys):
    assert run(["estimate", *words]) == 1

    shown = capsys.readouterr()
    assert shown.err.startswith(message)
    assert shown.out == ""

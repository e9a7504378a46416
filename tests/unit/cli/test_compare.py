import json

import pytest

from bayplan.cli.main import run

CONFIG = """
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins: [{type: queue-scorer}]
schedulingProfiles:
- {name: default, plugins: [{pluginRef: queue-scorer, weight: 1}]}
"""
TABLE = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9,400,5\n2023-11-16 18:17:04.9,900,5\n"


def line(number):
    blocks = [0, 10 + number % 2, 20 + number % 2, 30 + number]
    return json.dumps({"timestamp": 1000 * number, "input_length": 2000, "output_length": 5, "hash_ids": blocks})


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "talk.jsonl").write_text("\n".join(map(line, range(8))))
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "wrong.jsonl").write_text(line(0) + "\n{}\n")
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "mine.yaml").write_text(CONFIG)
    (tmp_path / "broken.yaml").write_text(CONFIG.replace("queue-scorer", "queue-scoer"))


def test_a_table_of_policies(capsys):
    assert run(["compare", "talk.jsonl", "--config", "mine.yaml", "--policy", "rr", "--engines", "2"]) == 0

    title, heading, *rows = capsys.readouterr().out.splitlines()
    assert title == "talk: 8 requests at 1 times their pace, 2 engines 70b"
    assert heading.split()[:3] == ["POLICY", "MEAN", "TTFT"]
    assert [row.split()[0] for row in rows] == ["mine.yaml", "rr"]
    assert all(row.endswith("100%    ABCD") for row in rows)


def test_the_document_of_the_usual_policies(capsys):
    assert run(["compare", "table.csv", "--profile", "8b", "--speed", "2", "-o", "json"]) == 0

    document = json.loads(capsys.readouterr().out)
    assert (document["kind"], document["requests"], document["profile"]) == ("Comparison", 2, "8b")
    assert [each["policy"] for each in document["policies"]] == ["gie", "early", "late"]


def test_capacities(capsys):
    assert run(["compare", "talk.jsonl", "--policy", "rr", "--engines", "1", "--capacity"]) == 0

    *_, heading, row = capsys.readouterr().out.splitlines()
    assert heading.split() == ["POLICY", "A", "B", "C", "D"]
    assert float(row.split()[1]) > 1


WRONG = {
    "no engines": (["talk.jsonl", "--engines", "0"], "--engines: 0 is not 1 to 1024"),
    "no speed": (["talk.jsonl", "--speed", "0"], "--speed: 0.0 is no speed"),
    "no such policy": (["talk.jsonl", "--policy", "lates"], "there is no policy 'lates'; did you mean 'late'"),
    "no such profile": (["talk.jsonl", "--profile", "9b"], "there is no profile '9b'"),
    "no such file": (["none.jsonl"], "none.jsonl: No such file"),
    "a line that is no request": (["wrong.jsonl"], "wrong.jsonl:2: cannot be read"),
    "no text": (["binary.jsonl"], "binary.jsonl: is no text in UTF-8"),
    "no request": (["empty.jsonl"], "trace: there are no requests"),
    "a wrong configuration": (["talk.jsonl", "--config", "broken.yaml"], "queue-scoer"),
}


@pytest.mark.parametrize(("words", "message"), WRONG.values(), ids=WRONG)
def test_what_is_refused(words, message, capsys):
    assert run(["compare", *words]) == 1

    assert message in capsys.readouterr().err

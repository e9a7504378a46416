import io
import json

import pytest
import yaml

from bayplan.cli.main import run

GOOD = """\
scheduler: placement
plugins:
  - type: max-score
  - type: sample
    parameters: {count: 10}
schedulingProfiles:
  - name: pack
    plugins:
      - pluginRef: sample
      - pluginRef: max-score
"""
IDLE = GOOD.replace("plugins:\n  -", "plugins:\n  - type: random\n  -", 1)
BAD = GOOD.replace("max-score\n  - type: sample", "max-scor\n  - type: sample").replace("10", "many")


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Writes a configuration into the current folder, and says its name."""
    monkeypatch.chdir(tmp_path)

    def write(text):
        (tmp_path / "config.yaml").write_text(text)
        return "config.yaml"

    return write


def test_a_good_configuration(file, capsys):
    assert run(["config", "check", file(GOOD)]) == 0
    assert capsys.readouterr() == ("config.yaml: no problems; profiles: pack\n", "")


def test_warnings_go_to_stderr_and_do_not_fail(file, capsys):
    assert run(["config", "check", file(IDLE)]) == 0

    out, err = capsys.readouterr()
    assert out == "config.yaml: no problems; profiles: pack\n"
    assert err.startswith("warning: config.yaml:3: plugins[0]: 'random' is not used")


def test_all_problems_are_told_each_with_its_line(file, capsys):
    assert run(["config", "check", file(BAD)]) == 1

    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split(": ")[:3] for line in err.splitlines()] == [
        ["error", "config.yaml:3", "plugins[0].type"],
        ["error", "config.yaml:5", "plugins[1].parameters.count"],
        ["error", "config.yaml:10", "schedulingProfiles[0].plugins[1].pluginRef"],
    ]


@pytest.mark.parametrize("words", [["-"], ["-f", "-"], ["--file", "-"]], ids=str)
def test_stdin_is_read_where_the_file_is_a_dash(words, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BAD.encode())))

    assert run(["config", "check", *words]) == 1
    assert capsys.readouterr().err.startswith("error: <stdin>:3: plugins[0].type: ")


@pytest.mark.parametrize(("output", "load"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_the_verdict_is_a_document(output, load, file, capsys):
    run(["config", "check", file(GOOD), "-o", output])

    assert load(capsys.readouterr().out) == {"kind": "ConfigCheck", "valid": True, "errors": [], "warnings": []}


def test_a_bad_verdict_is_a_document_too(file, capsys):
    assert run(["config", "check", file(BAD), "-o", "json"]) == 1

    out, err = capsys.readouterr()
    verdict, error = json.loads(out), json.loads(err)["error"]
    assert verdict["valid"] is False
    assert verdict["errors"] == error["problems"]
    assert verdict["errors"][0] == {
        "place": "config.yaml:3: plugins[0].type",
        "message": "no plugin is called 'max-scor'",
        "next": "did you mean 'max-score'?",
    }
    assert error["code"] == "invalid-config"


REFUSED = {
    "no document":   ("", "error: config.yaml: holds 0 documents, and a configuration is one; "),
    "two documents": (f"{GOOD}---\n{GOOD}", "error: config.yaml: holds 2 documents, and a configuration is one; "),
    "broken YAML":   ("a: [", "error: config.yaml:"),
    "a list":        ("[1, 2]", "error: config.yaml:1: document: a list of 2 is not a mapping"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "start"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_configuration_is_refused_with_its_place(text, start, file, capsys):
    assert run(["config", "check", file(text)]) == 1

    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(start)


def test_a_missing_file_is_an_error(file, capsys):
    assert run(["config", "check", "nowhere.yaml"]) == 1
    assert capsys.readouterr().err.startswith("error: nowhere.yaml: there is no such file; ")


PICKER = """\
apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
schedulingProfiles:
- name: fast
  plugins: [{pluginRef: queue-scorer}]
"""


def test_configurations_of_routing_are_checked_too(file, capsys):
    assert run(["config", "check", file(PICKER)]) == 0

    out, err = capsys.readouterr()
    assert out == "config.yaml: no problems; profiles: fast\n"
    assert err.startswith("warning: config.yaml:1: apiVersion: ")


def test_their_problems_have_lines_too(file, capsys):
    assert run(["config", "check", file(PICKER.replace("- type: queue-scorer", "- type: queue"))]) == 1

    assert [line.split(": ")[:3] for line in capsys.readouterr().err.splitlines()] == [
        ["error", "config.yaml:4", "plugins[0].type"],
        ["error", "config.yaml:7", "schedulingProfiles[0].plugins[0].pluginRef"],
    ]

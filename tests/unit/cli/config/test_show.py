import json

import pytest
import yaml

from bayplan.cli.main import run

CONFIG = """\
plugins:
  - type: sample
    name: few
  - type: max-score
schedulingProfiles:
  - name: pack
    plugins: [{pluginRef: few}, {pluginRef: max-score}]
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "config.yaml").write_text(CONFIG)
    return str(tmp_path / "config.yaml")


def test_defaults_and_what_was_added_are_shown(file, capsys):
    assert run(["config", "show", file]) == 0

    document = yaml.safe_load(capsys.readouterr().out)
    assert document["plugins"][0] == {"type": "sample", "name": "few", "parameters": {"count": 100}}
    assert document["profileHandler"] == {"pluginRef": "single-profile"}
    assert document["onPluginError"] == "fail"


def test_what_is_shown_means_the_same_again(file, tmp_path, capsys):
    run(["config", "show", file, "-o", "json"])
    first = capsys.readouterr().out
    (tmp_path / "again.json").write_text(first)

    assert run(["config", "show", str(tmp_path / "again.json"), "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(first)


def test_the_table_lists_each_profile_with_its_plugins(file, capsys):
    run(["config", "show", file, "-o", "wide"])

    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        ["PROFILE", "PLUGIN", "WEIGHT", "LEVEL", "TYPE", "PARAMETERS"],
        ["pack", "few", "-", "-", "sample", "{'count':", "100}"],
        ["pack", "max-score", "-", "-", "max-score", "{'ties':", "'lowest'}"],
    ]


def test_a_broken_configuration_is_not_shown(tmp_path, capsys):
    (tmp_path / "broken.yaml").write_text("plugins: []")

    assert run(["config", "show", str(tmp_path / "broken.yaml")]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")


def test_configurations_of_routing_are_shown_in_our_own_form(tmp_path, capsys):
    (tmp_path / "picker.yaml").write_text("kind: EndpointPickerConfig\nfeatureGates: [flowControl]\n")

    assert run(["config", "show", str(tmp_path / "picker.yaml")]) == 0
    document = yaml.safe_load(capsys.readouterr().out)
    assert (document["kind"], document["scheduler"]) == ("SchedulerConfig", "routing")
    assert document["featureGates"]["flowControl"] is True
    assert document["flowControl"]["defaultRequestTTLSeconds"] == 60

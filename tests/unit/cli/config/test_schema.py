import json

import pytest
import yaml

from bayplan.cli.main import run
from bayplan.framework.config.json_schema import config_schema
from bayplan.library.registry import placement_plugins


@pytest.mark.parametrize(("flags", "load"), [([], json.loads), (["-o", "yaml"], yaml.safe_load)], ids=["json", "yaml"])
def test_the_schema_knows_every_plugin(flags, load, capsys):
    assert run(["config", "schema", *flags]) == 0
    assert load(capsys.readouterr().out) == json.loads(json.dumps(config_schema(placement_plugins())))


def test_the_table_lists_the_fields(capsys):
    run(["config", "schema", "-o", "table"])

    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["FIELD", "REQUIRED", "ABOUT"]
    assert ["scheduler", "no", "which", "scheduler", "this", "is", "for"] in rows


SCHEDULERS = {
    "llm-d's kind": ("kind: EndpointPickerConfig", "EndpointPickerConfig", "queue-scorer"),
    "routing": ("scheduler: routing", "SchedulerConfig", "queue-scorer"),
    "placement": ("scheduler: placement", "SchedulerConfig", "binpack"),
}


@pytest.mark.parametrize(("text", "title", "plugin"), SCHEDULERS.values(), ids=SCHEDULERS)
def test_the_schema_of_a_file(text, title, plugin, tmp_path, capsys):
    (tmp_path / "config.yaml").write_text(text)

    assert run(["config", "schema", str(tmp_path / "config.yaml")]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["title"] == title
    assert plugin in schema["$defs"]

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

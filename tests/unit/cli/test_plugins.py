import json

import pytest

from bayplan.cli.main import run
from bayplan.library.registry import all_plugins


def _document(words, capsys):
    assert run([*words, "-o", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_plugin_is_listed(capsys):
    document = _document(["plugins"], capsys)

    assert document["kind"] == "PluginList"
    assert [item["name"] for item in document["items"]] == [plugin.name for plugin in all_plugins()]
    assert {"name": "sample", "kinds": ["filter"], "origin": "built-in", "aliases": []}.items() <= next(
        item for item in document["items"] if item["name"] == "sample"
    ).items()


def test_the_list_for_people_has_one_line_a_plugin(capsys):
    run(["plugins"])

    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split() == ["NAME", "KIND", "ORIGIN", "ABOUT"]
    assert [line.split()[0] for line in lines] == [plugin.name for plugin in all_plugins()]
    assert all(line.split("  ")[-1] for line in lines)


def test_one_plugin_is_described_with_what_it_can_be_told(capsys):
    document = _document(["plugins", "sample"], capsys)

    assert document["kind"] == "Plugin"
    assert document["depends"] == "table"
    assert document["reads"] == []
    assert document["parameters"] == [
        {
            "name": "count",
            "type": "a whole number",
            "required": False,
            "default": 100,
            "description": "how many rows to keep.",
        }
    ]


SHOWN = {
    "a filter": ("sample", ["count a whole number 100 how many rows to keep.", "depends on: other rows"]),
    "a picker": ("max-score", ["max-score: picker, built-in"]),
    "a picker of routing": ("random-picker", ["random-picker: picker, built-in"]),
    "an alias": ("by-label-selector", ["label-selector-filter: filter, built-in", "aliases: by-label-selector"]),
}  # fmt: skip


@pytest.mark.parametrize(("name", "expected"), SHOWN.values(), ids=SHOWN)
def test_the_description_for_people(name, expected, capsys):
    assert run(["plugins", name]) == 0

    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert set(expected) <= set(lines)


def test_pickers_read_no_columns_and_say_nothing_about_them(capsys):
    run(["plugins", "max-score"])

    assert "reads:" not in capsys.readouterr().out


def test_an_unknown_plugin_is_answered_with_the_nearest(capsys):
    assert run(["plugins", "max-scor"]) == 1
    assert capsys.readouterr().err == (
        "error: bayplan plugins: no plugin is called 'max-scor'; did you mean 'max-score'?\n"
    )


def test_a_broken_package_is_a_warning_and_the_others_are_listed(tmp_path, monkeypatch, capsys):
    about = tmp_path / "wreck-2.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: wreck\nVersion: 2.0\n")
    (about / "entry_points.txt").write_text("[bayplan.plugins]\nsunk = no_such_module:Sunk\n")
    monkeypatch.syspath_prepend(tmp_path)

    assert run(["plugins"]) == 0

    out, err = capsys.readouterr()
    assert "max-score" in out
    assert err.startswith("warning: plugin sunk of wreck 2.0: ModuleNotFoundError: No module named 'no_such_module'; ")
    assert err.count("\n") == 1

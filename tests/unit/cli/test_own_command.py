from pathlib import Path

import pytest

from bayplan.cli import own_command

CALLS = {
    "it is in the path":    ("/x/bin/bayplan", "/x/bin/bayplan", "bayplan"),
    "it is not":            (".venv/bin/bayplan", None, ".venv/bin/bayplan"),
    "it is called as -m":   ("/x/bayplan/__main__.py", None, "bayplan"),
}  # fmt: skip


@pytest.mark.parametrize(("called", "found", "named"), CALLS.values(), ids=CALLS)
def test_the_command_is_named_so_that_the_reader_can_call_it(monkeypatch, called, found, named):
    monkeypatch.setattr("sys.argv", [called, "up"])
    monkeypatch.setattr(own_command, "which", lambda _: found)

    assert own_command.own_command() == named


def test_the_folder_is_named_unless_commands_look_there_anyway(monkeypatch, tmp_path):
    monkeypatch.setenv("BAYPLAN_DATA", "/a b")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    assert own_command.folder_flag(tmp_path / "bayplan") == ""
    assert own_command.folder_flag(Path("/a b")) == " --data '/a b'"

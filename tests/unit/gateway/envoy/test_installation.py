"""Which Envoy is run; that it can be installed is seen in tests/gateway."""

import sys
from pathlib import Path

import pytest

from bayplan.framework.errors import InputError
from bayplan.gateway.envoy import installation
from bayplan.gateway.envoy.installation import find_envoy


def test_the_program_that_is_named():
    assert find_envoy(Path(sys.executable), print) == Path(sys.executable)


def test_the_program_of_the_variable(monkeypatch):
    monkeypatch.setenv("BAYPLAN_ENVOY", sys.executable)

    assert find_envoy(None, print) == Path(sys.executable)


@pytest.mark.parametrize("by", ["--envoy", "BAYPLAN_ENVOY"])
def test_a_file_that_is_no_program(tmp_path, monkeypatch, by):
    file = tmp_path / "envoy"
    file.write_text("text")
    if by == "BAYPLAN_ENVOY":
        monkeypatch.setenv(by, str(file))

    with pytest.raises(InputError) as caught:
        find_envoy(file if by == "--envoy" else None, print)

    assert caught.value.place == by


def test_an_installed_one_is_used_again(tmp_path, monkeypatch):
    monkeypatch.delenv("BAYPLAN_ENVOY", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = installation.environment_folder()
    folder.mkdir(parents=True)
    (folder / "ready").write_text("/somewhere/envoy")
    said = []

    assert find_envoy(None, said.append) == Path("/somewhere/envoy")
    assert folder.is_relative_to(tmp_path)
    assert said == []


def test_an_installation_that_fails_says_why():
    with pytest.raises(InputError, match="no such package") as caught:
        installation._run(sys.executable, "-c", "raise SystemExit('no such package')")

    assert caught.value.place == installation.PACKAGE
    assert "--envoy" in caught.value.next

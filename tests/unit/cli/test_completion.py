"""Completion by the shells themselves: bash surely, zsh and fish where they are installed."""

import shutil
import subprocess

import pytest

from bayplan.cli.commands import COMMANDS
from bayplan.cli.completion import completed
from bayplan.cli.main import run


@pytest.fixture
def script(capsys, tmp_path):
    def made(shell):
        assert run(["completion", shell]) == 0
        path = tmp_path / f"bayplan.{shell}"
        path.write_text(capsys.readouterr().out)
        return path

    return made


def in_bash(script, words, folder):
    """What bash offers for the last of these words."""
    quoted = " ".join(f"'{word}'" for word in words)
    given = f'source "{script}"; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _bayplan; '
    code = given + 'printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(
        [shutil.which("bash"), "--norc", "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split()


OFFERED = {
    "commands":                (["pl"], ["plan", "plugins"]),
    "words of a group":        (["inventory", "k"], ["kubernetes"]),
    "flags":                   (["plan", "--c"], ["--cluster", "--config", "--commit-to"]),
    "values of a flag":        (["plan", "-o", ""], ["table", "wide", "json", "yaml"]),
    "values after a sign":     (["plan", "--output", "=", "j"], ["json"]),
    "another flag's values":   (["plan", "--order", "q"], ["queue"]),
    "files":                   (["plan", "-f", "wor"], ["workload.yaml"]),
    "files without a flag":    (["plan", "wor"], ["workload.yaml"]),
    "folders":                 (["gpus", "--cluster", "cl"], ["clusters"]),
    "shells":                  (["completion", ""], ["bash", "zsh", "fish"]),
    "commands to explain":     (["help", "wh"], ["why"]),
    "a switch":                (["gpus", "--h"], ["--holders", "--help"]),
    "nothing to offer":        (["plan", "--seed", ""], []),
    "kinds":                   (["get", "agentp"], ["agentpools"]),
    "kinds of one name":       (["edit", "models."], ["models.neuronetes.io", "models.mlops.seldon.io"]),
    "flags of the program":    (["--v"], ["--version"]),
}  # fmt: skip


@pytest.mark.parametrize(("words", "offered"), OFFERED.values(), ids=OFFERED)
def test_bash_offers(words, offered, script, tmp_path):
    (tmp_path / "workload.yaml").write_text("")
    (tmp_path / "clusters").mkdir()

    assert in_bash(script("bash"), ["bayplan", *words], tmp_path) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_that_is_installed_takes_its_script(shell, script):
    path = script(shell)
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")

    done = subprocess.run([shutil.which(shell), "-n", str(path)], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_is_in_every_script(shell, script):
    text = script(shell).read_text()

    assert all(word in text for command in COMMANDS for word in command.words)


def test_every_flag_is_known_with_its_values():
    plan = next(each for each in completed() if each.words == ("plan",))

    assert {flag.names[0] for flag in plan.flags} >= {"--file", "--cluster", "--output", "--commit-to"}
    assert next(flag.words for flag in plan.flags if "-o" in flag.names) == ("table", "wide", "json", "yaml")


def test_another_shell_is_a_clear_error(capsys):
    assert run(["completion", "tcsh"]) == 1
    assert "tcsh" in capsys.readouterr().err

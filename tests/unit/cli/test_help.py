import pytest

from bayplan.cli.commands import COMMANDS, GLOBAL_FLAGS, GROUPS
from bayplan.cli.help import overview
from bayplan.cli.main import run


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command.words))
def test_the_overview_names_every_command_with_its_line(command):
    lines = [line.split() for line in overview().splitlines()]

    assert [*command.words, *command.help.split()] in lines


@pytest.mark.parametrize(("flag", "text"), GLOBAL_FLAGS)
def test_the_overview_names_every_global_flag(flag, text):
    assert [*flag.split(), *text.split()] in [line.split() for line in overview().splitlines()]


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["--no-color", "--help"]], ids=str)
def test_the_overview_is_what_help_prints(words, capsys):
    assert run(words) == 0
    assert capsys.readouterr().out == overview()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command.words))
def test_each_command_explains_itself(command, capsys):
    status = run([*command.words, "--help"])

    out = capsys.readouterr().out
    assert status == 0
    assert out.startswith(f"Usage: bayplan {' '.join(command.words)}")
    assert f"\n\n{command.help}\n" in out
    assert out.endswith("--no-color, --debug, --help.\n")


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.word)
def test_a_group_lists_its_commands(group, capsys):
    status = run([group.word])

    out = capsys.readouterr().out
    assert status == 0
    for command in COMMANDS:
        if command.words[0] == group.word:
            assert [command.words[1], *command.help.split()] in [line.split() for line in out.splitlines()]


def test_the_help_of_a_parameter_says_choices_and_default(capsys):
    run(["plugins", "--help"])

    out = capsys.readouterr().out
    assert "  --output, -o  How to print it. (one of table, wide, json, yaml; default table)\n" in out

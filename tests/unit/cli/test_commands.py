from importlib import import_module

import pytest

from bayplan.cli.app import build
from bayplan.cli.commands import COMMANDS, GROUPS

NAMES = [" ".join(command.words) for command in COMMANDS]


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_every_command_of_the_list_has_its_code(command):
    module, _, function = command.target.partition(":")

    assert callable(getattr(import_module(module), function))


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_every_command_of_the_list_can_be_called(command):
    chain, _, unused = build().parse_commands(list(command.words))

    assert (tuple(chain), unused) == (command.words, [])


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_the_line_of_help_is_a_sentence(command):
    assert command.help[0].isupper()
    assert command.help.endswith(".")


def test_a_group_holds_commands():
    held = {command.words[0] for command in COMMANDS if len(command.words) > 1}

    assert held == {group.word for group in GROUPS}

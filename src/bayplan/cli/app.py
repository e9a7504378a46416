"""The tree of commands as cyclopts knows it; each command's code is imported when it is called."""

from __future__ import annotations

from typing import Final

from cyclopts import App

import bayplan
from bayplan.cli.commands import COMMANDS, GROUPS, PURPOSE
from bayplan.cli.help import PlainHelp

EPILOGUE: Final = "For every command: --no-color, --debug, --help."


def build() -> App:
    """The app with all commands of the list; it raises errors and never prints them."""
    root = App(
        name="bayplan",
        help=PURPOSE,
        version=bayplan.__version__,
        help_format="plaintext",
        help_formatter=PlainHelp(),
        help_epilogue=EPILOGUE,
        print_error=False,
        exit_on_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    groups = {group.word: App(name=group.word, help=group.help) for group in GROUPS}
    for group in groups.values():
        root.command(group)
    for command in COMMANDS:
        *group_words, word = command.words
        parent = groups[group_words[0]] if group_words else root
        parent.command(command.target, name=word, help=command.help)
    return root

"""`bayplan completion SHELL`: a script that completes commands, flags, their values and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from cyclopts import Parameter

from bayplan.cli.commands import COMMANDS, GLOBAL_FLAGS, GROUPS
from bayplan.cli.shells import bash, fish, zsh
from bayplan.cli.text import write

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILES = frozenset(
    {"file", "filename", "files", "more", "cluster", "config", "commit_to", "model", "lora", "draft", "server", "data"}
)
"""Parameters whose values are files or folders."""
_OBJECTS = "words"
"""The parameter of commands that take KIND and NAME."""
_ALWAYS = tuple(flag for names, _ in GLOBAL_FLAGS for flag in names.split(", "))
_WRITERS = {"bash": bash.script, "zsh": zsh.script, "fish": fish.script}


class Flag(NamedTuple):
    """A flag of a command: its names, the words it accepts, or whether it takes a file; a switch takes no value."""

    names: tuple[str, ...]
    help: str
    words: tuple[str, ...]
    takes_file: bool
    is_switch: bool


class Completed(NamedTuple):
    """What may follow a command: further words, flags, files."""

    words: tuple[str, ...]
    help: str
    next_words: tuple[str, ...]
    flags: tuple[Flag, ...]
    takes_files: bool


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="The shell to complete in.", show_choices=True)],
) -> None:
    """Print a script that completes commands, flags and files.

    bash: source <(bayplan completion bash), in ~/.bashrc to keep it.
    zsh: source <(bayplan completion zsh), in ~/.zshrc after compinit.
    fish: bayplan completion fish > ~/.config/fish/completions/bayplan.fish
    """
    write(_WRITERS[shell](list(completed())))


def completed() -> Iterator[Completed]:
    """Every command of the tree, the program itself first."""
    from bayplan.cli.app import build  # noqa: PLC0415 (it imports this command in turn)

    app: Any = build()
    top = dict.fromkeys(command.words[0] for command in COMMANDS)
    switches = tuple(Flag((name,), "", (), takes_file=False, is_switch=True) for name in _ALWAYS)
    yield Completed((), "", tuple(top), switches, takes_files=False)
    for group in GROUPS:
        inner = tuple(command.words[1] for command in COMMANDS if command.words[0] == group.word)
        yield Completed((group.word,), group.help, inner, (), takes_files=False)
    for command in COMMANDS:
        found = app
        for word in command.words:
            found = found[word]
        yield _command(command.words, command.help, found.assemble_argument_collection())


def _kind_names() -> tuple[str, ...]:
    """Kinds by a name that means one of them."""
    from bayplan.control.resources.registry import REGISTRY  # noqa: PLC0415 (loaded for completions alone)

    stored = [each for each in REGISTRY.kinds if each.stored]
    return tuple(each.plural if len(REGISTRY.named(each.plural)) == 1 else each.full_name for each in stored)


def _command(words: tuple[str, ...], text: str, arguments: Any) -> Completed:
    flags: list[Flag] = []
    positional: tuple[str, ...] = ()
    takes_files = False
    for each in arguments:
        name, choices = each.field_info.name, tuple(each.get_choices() or ())
        names = tuple(one for one in each.names if one.startswith("-"))
        if each.field_info.kind is not each.field_info.KEYWORD_ONLY:
            takes_files = takes_files or name in _FILES
            positional = positional or choices
        elif names:
            switch = each.hint is bool
            flags.append(Flag(names, each.parameter.help or "", choices, name in _FILES, switch))
        if name == _OBJECTS:
            positional = _kind_names()
    following = tuple(dict.fromkeys(each.words[0] for each in COMMANDS)) if words == ("help",) else positional
    return Completed(words, text, following, tuple(flags), takes_files)

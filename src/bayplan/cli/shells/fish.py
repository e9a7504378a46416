"""Completion in fish."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.cli.completion import Completed, Flag


def script(tree: Sequence[Completed]) -> str:
    """The script for these commands."""
    about = {each.words: each.help for each in tree}
    lines = ["# Completion of bayplan in fish: bayplan completion fish | source", "complete -c bayplan -f"]
    for each in tree:
        when = _condition(each)
        lines += [_word(when, word, about.get((*each.words, word), "")) for word in each.next_words]
        lines += [_flag(when, flag) for flag in each.flags]
        if each.takes_files:
            lines.append(f"complete -c bayplan -n {when} -F")
    return "".join(f"{line}\n" for line in lines)


def _condition(each: Completed) -> str:
    """The condition of fish: the words of a command are typed, and no further word of its group."""
    if not each.words:
        return "__fish_use_subcommand"
    seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in each.words)
    if each.next_words and not each.flags:
        seen += f"; and not __fish_seen_subcommand_from {' '.join(each.next_words)}"
    return f'"{seen}"'


def _word(when: str, word: str, text: str) -> str:
    return f"complete -c bayplan -n {when} -a {word}{_described(text)}"


def _flag(when: str, flag: Flag) -> str:
    names = " ".join(_names(flag))
    value = "" if flag.is_switch else " -r -F" if flag.takes_file else " -x"
    words = f" -a '{' '.join(flag.words)}'" if flag.words else ""
    return f"complete -c bayplan -n {when} {names}{value}{words}{_described(flag.help)}"


def _names(flag: Flag) -> Iterator[str]:
    for name in flag.names:
        yield f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"


def _described(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f" -d '{escaped}'" if text else ""

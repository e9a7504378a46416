"""What the scripts of bash and zsh share: a `case` with one branch per command, and the lines of a branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bayplan.cli.completion import Completed


def framed(head: str, tree: Sequence[Completed], words: Callable[[Iterable[str]], str], files: str, tail: str) -> str:
    """The script: `@PATHS@` in its head becomes the pattern of all commands.

    `words` makes the shell command that offers words, `files` is the one that offers files.
    """
    paths = "|".join(f'" {" ".join(each.words)}"' for each in tree if each.words)
    return head.replace("@PATHS@", paths) + "".join(_case(each, _body(each, words, files)) for each in tree) + tail


def _body(each: Completed, words: Callable[[Iterable[str]], str], files: str) -> Iterator[str]:
    """Values after a flag that takes one; else flags after a dash; else files or further words."""
    valued = [flag for flag in each.flags if not flag.is_switch]
    if valued:
        yield '            case "$prev" in'
        for flag in valued:
            do = words(flag.words) if flag.words else files if flag.takes_file else ":"
            yield f"                {'|'.join(flag.names)}) {do}; return ;;"
        yield "            esac"
    flags = [*(name for flag in each.flags for name in flag.names), *(["--help"] if each.words else [])]
    other = files if each.takes_files else words(each.next_words) if each.next_words else ":"
    yield f'            if [[ "$cur" == -* ]]; then {words(flags)}; else {other}; fi'


def _case(each: Completed, body: Iterable[str]) -> str:
    path = "".join(f" {word}" for word in each.words)
    return "".join(f"{line}\n" for line in (f'        "{path}")', *body, "            ;;"))

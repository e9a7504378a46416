"""Completion in zsh."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cli.shells.cases import framed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.cli.completion import Completed

_HEAD = """\
#compdef bayplan
# Completion of bayplan in zsh: source <(bayplan completion zsh), after compinit
_bayplan() {
    local cur=${words[CURRENT]} prev=${words[CURRENT-1]} path_so_far='' i
    for ((i = 2; i < CURRENT; i++)); do
        case "$path_so_far ${words[i]}" in
            @PATHS@) path_so_far="$path_so_far ${words[i]}" ;;
        esac
    done
    case "$path_so_far" in
"""
_TAIL = """\
    esac
}
if [ "$funcstack[1]" = "_bayplan" ]; then _bayplan "$@"; else compdef _bayplan bayplan; fi
"""


def script(tree: Sequence[Completed]) -> str:
    """The script for these commands."""
    return framed(_HEAD, tree, _body, _TAIL)


def _body(each: Completed) -> Iterator[str]:
    valued = [flag for flag in each.flags if not flag.is_switch]
    if valued:
        yield '            case "$prev" in'
        for flag in valued:
            do = f"compadd -- {' '.join(flag.words)}" if flag.words else "_files" if flag.takes_file else ":"
            yield f"                {'|'.join(flag.names)}) {do}; return ;;"
        yield "            esac"
    flags = " ".join([name for flag in each.flags for name in flag.names] + ([] if not each.words else ["--help"]))
    other = "_files" if each.takes_files else f"compadd -- {' '.join(each.next_words)}" if each.next_words else ":"
    yield f'            if [[ "$cur" == -* ]]; then compadd -- {flags}; else {other}; fi'

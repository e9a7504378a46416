"""Completion in zsh."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cli.shells.cases import framed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    return framed(_HEAD, tree, _words, "_files", _TAIL)


def _words(words: Iterable[str]) -> str:
    return f"compadd -- {' '.join(words)}"

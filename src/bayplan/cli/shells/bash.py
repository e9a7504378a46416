"""Completion in bash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cli.shells.cases import framed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.cli.completion import Completed

_HEAD = """\
# Completion of bayplan in bash: source <(bayplan completion bash)
_bayplan() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path='' word i
    if [[ $cur == = ]]; then
        cur=''
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        case "$path $word" in
            @PATHS@) path="$path $word" ;;
        esac
    done
    COMPREPLY=()
    case "$path" in
"""
_TAIL = """\
    esac
}
_bayplan_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_bayplan_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); }
complete -F _bayplan bayplan
"""


def script(tree: Sequence[Completed]) -> str:
    """The script for these commands."""
    return framed(_HEAD, tree, _words, "_bayplan_files", _TAIL)


def _words(words: Iterable[str]) -> str:
    return f"_bayplan_words '{' '.join(words)}'"

"""The frame that the scripts of bash and zsh share: a `case` with one branch a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bayplan.cli.completion import Completed


def framed(head: str, tree: Sequence[Completed], body: Callable[[Completed], Iterable[str]], tail: str) -> str:
    """The script: `@PATHS@` in its head becomes the pattern of all commands, `body` gives the lines of each branch."""
    paths = "|".join(f'" {" ".join(each.words)}"' for each in tree if each.words)
    return head.replace("@PATHS@", paths) + "".join(_case(each, body(each)) for each in tree) + tail


def _case(each: Completed, body: Iterable[str]) -> str:
    path = "".join(f" {word}" for word in each.words)
    return "".join(f"{line}\n" for line in (f'        "{path}")', *body, "            ;;"))

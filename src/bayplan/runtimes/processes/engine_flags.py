"""What the flags of an engine say, and which of them a worker sets itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MODEL = frozenset({"--model", "--model-path", "-m"})
_LISTENS = frozenset({"--host", "--port"})
_MEANINGS = {
    "--tensor-parallel-size": "tp", "-tp": "tp", "--tp-size": "tp", "--tp": "tp",
    "--pipeline-parallel-size": "pp", "-pp": "pp", "--pp-size": "pp", "--pp": "pp",
    "--gpu-memory-utilization": "fraction", "--mem-fraction-static": "fraction",
    "--served-model-name": "name", "--alias": "name",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class EngineFlags:
    """Flags without those that the worker sets itself: where to listen, and the model."""

    args: tuple[str, ...]
    model: str = ""

    def values(self) -> dict[str, str]:
        """What templates may name: tp, pp, fraction and name."""
        found = {"tp": "1", "pp": "1", "fraction": "", "name": ""}
        for flag, value in _pairs(self.args):
            if flag in _MEANINGS and value:
                found[_MEANINGS[flag]] = value
        return found


def read_flags(args: Sequence[str]) -> EngineFlags:
    """Separate the flags; a first word that is no flag is the model, as in `vllm serve MODEL`."""
    model, kept, number = "", [], 0
    if args and not args[0].startswith("-"):
        model, number = args[0], 1
    while number < len(args):
        flag, sign, value = args[number].partition("=")
        takes_next = not sign and number + 1 < len(args)
        if flag in _LISTENS or flag in _MODEL:
            value = value if sign else args[number + 1] if takes_next else ""
            model = value if flag in _MODEL else model
            number += 1 if sign else 2
            continue
        kept.append(args[number])
        number += 1
    return EngineFlags(tuple(kept), model)


def _pairs(args: Sequence[str]) -> Iterable[tuple[str, str]]:
    for number, word in enumerate(args):
        following = args[number + 1] if number + 1 < len(args) else ""
        flag, sign, value = word.partition("=")
        if flag.startswith("-"):
            yield flag, value if sign else following

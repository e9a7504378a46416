"""The messages of the reader: the place, the problem and the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.manifests.paths import spell_short

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.manifests.limits import Limits
    from bayplan.manifests.paths import Step


def refusal(
    source: str,
    message: str,
    *,
    line: int = 0,
    column: int = 0,
    path: Iterable[Step] = (),
    next: str = "",  # noqa: A002
) -> InputError:
    """An error at `FILE:LINE:COLUMN: PATH`, as far as these are known."""
    place = ":".join([source, *(str(number) for number in (line, column) if number)])
    where = spell_short(path)
    return InputError(message, place=f"{place}: {where}" if where else place, next=next)


def too_large(
    source: str, size_bytes: int | None, limit_bytes: int, *, line: int = 0, what: str = "document"
) -> InputError:
    """The error for a text that is too large, which is known before anything is parsed."""
    size = "more than that" if size_bytes is None else f"{size_bytes:,} bytes"
    return refusal(
        source,
        f"the {what} is too large: at most {limit_bytes:,} bytes are read, and it holds {size}",
        line=line,
        next="split it into smaller files",
    )


def too_deep(limits: Limits) -> str:
    """The message, the same for YAML and JSON."""
    return f"nested more than {limits.depth} levels deep"


def too_many_nodes(limits: Limits) -> str:
    """The message, the same for YAML and JSON."""
    return f"the document holds more than {limits.nodes:,} nodes (keys, values, lists and mappings)"


def twice(key: str) -> str:
    """The message, the same for YAML and JSON."""
    return f"the key {key} is given twice in one mapping"


def control_in_text(character: str) -> str:
    """The message, the same for YAML and JSON."""
    return f"the control character {character} in a text"


TEXT_NEEDS_QUOTES = "put it in quotes if it is text"
SPLIT_IT = "split it into smaller documents"
FLATTEN_IT = "flatten it"
KEEP_ONE = "keep one of the two"
REMOVE_CONTROL = "remove the control character"

"""`bayplan.read_config`: what a configuration means, in our own form with everything filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.library.documents import documents_of
from bayplan.library.registry import read_any_config

if TYPE_CHECKING:
    from bayplan.library.documents import Given


def read_config(document: Given) -> dict[str, Any]:
    """The native SchedulerConfig of a configuration of any scheduler, and `warnings`, a list of sentences.

    ConfigError with the first problem and the number of the others. The answer is a configuration too: reading it gives
    the same again.
    """
    found = documents_of(document, "config")
    if len(found) != 1:
        raise InputError(f"there are {len(found)} configurations", place="config", next="give one")
    config = read_any_config(found[0].data, line=found[0].line)
    return {**config.document(), "warnings": [str(each) for each in config.warnings]}

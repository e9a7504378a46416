"""`bayplan config check`: every problem of a configuration, at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cli.config.config_file import File, read
from bayplan.cli.errors import as_dict, warn
from bayplan.cli.output import Format, emit
from bayplan.framework.errors import ConfigError, InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable


def check(file: File, *, output: Format = "table") -> None:
    """Find every problem of a configuration; exit code 1 if there is one."""
    try:
        config, warnings = read(file)
    except InputError as error:
        if output in ("json", "yaml"):
            emit(_document(_problems(error)), output)
        raise
    for warning in warnings:
        warn(str(warning))
    profiles = ", ".join(profile.name for profile in config.profiles)
    emit(_document((), warnings), output, f"{file}: no problems; profiles: {profiles}")


def _problems(error: InputError) -> tuple[Problem, ...]:
    return error.problems if isinstance(error, ConfigError) else (Problem(error.place, error.message, error.next),)


def _document(errors: Iterable[Problem], warnings: Iterable[Problem] = ()) -> dict[str, Any]:
    listed = [as_dict(each) for each in errors]
    return {
        "kind": "ConfigCheck",
        "valid": not listed,
        "errors": listed,
        "warnings": [as_dict(each) for each in warnings],
    }

"""`bayplan model-server`: a simulated server of many models with the V2 inference protocol."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path  # noqa: TC003 (cyclopts reads the types of flags)
from typing import Annotated

from cyclopts import Parameter

from bayplan.cli.text import write
from bayplan.framework.errors import InputError
from bayplan.sim.model_server.server import serve
from bayplan.sim.model_server.settings import Settings

_LONGEST_S = 3600.0


def model_server(
    folder: Annotated[Path, Parameter(help="The model repository: a folder with one folder for each model.")],
    *,
    host: Annotated[str, Parameter(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, Parameter(help="The port; 0 takes a free one.")] = 8080,
    load_seconds: Annotated[float, Parameter(help="How long the load of a model takes.")] = 0.1,
    infer_seconds: Annotated[float, Parameter(help="How long an inference takes.")] = 0.0,
    fail_loads: Annotated[str, Parameter(help="Models whose load fails, as a pattern of names.")] = "fail-load*",
    fail_unloads: Annotated[str, Parameter(help="Models whose unload fails, as a pattern.")] = "fail-unload*",
    failures: Annotated[
        int | None, Parameter(help="How often such a load fails before it works; always by default.")
    ] = None,
) -> None:
    """Serve simulated models until Ctrl-C: no frameworks, no weights, the paths of MLServer and Triton.

    It prints `ready URL`. Models are loaded and unloaded by the repository extension of the V2 protocol; an inference
    answers with the sum of each row of its first input.
    """
    if not folder.is_dir():
        raise InputError("it is no folder", place=str(folder), next="make it, with one folder for each model")
    for flag, seconds in (("--load-seconds", load_seconds), ("--infer-seconds", infer_seconds)):
        if not 0 <= seconds < _LONGEST_S:
            raise InputError(f"{seconds:g} is no time that makes sense", place=flag, next="write seconds, such as 0.5")
    settings = Settings(
        load_s=load_seconds,
        infer_s=infer_seconds,
        fail_loads=fail_loads,
        fail_unloads=fail_unloads,
        failures=failures,
    )
    serve(folder, settings, host, port, _say)


def _say(line: str) -> None:
    with suppress(OSError):  # nobody reads it any more, which is no reason to stop serving
        write(f"{line}\n")
        sys.stdout.flush()

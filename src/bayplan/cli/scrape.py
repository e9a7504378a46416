"""`bayplan scrape`: what the metrics text of an engine says about its load."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter

from bayplan.cli.config.config_file import read_one
from bayplan.cli.errors import warn
from bayplan.cli.output import Format, Sheet, emit
from bayplan.framework.errors import InputError
from bayplan.library.scrape import scrape as scrape_text

MOST_BYTES: Final = 256 * 1024 * 1024
"""Of a file that the user names; a scrape over the network ends at 5 MB."""
_STDIN = "<stdin>"
_WORDS: Final = {
    "waiting": "requests that wait",
    "running": "requests that run",
    "kvCacheUsage": "KV cache in use",
    "cacheBlockSize": "tokens of a block",
    "cacheBlocks": "blocks of the KV cache",
    "kvTokenCapacity": "tokens of the KV cache",
}
_ADAPTERS: Final = {
    "active": "LoRA adapters loaded",
    "waiting": "LoRA adapters waiting",
    "max": "LoRA adapters at most",
}


def scrape(
    file: Annotated[str, Parameter(allow_leading_hyphen=True, help="What the engine's /metrics answered; - is stdin.")],
    *,
    engine: Annotated[
        str, Parameter(help="vllm, sglang, trtllm-serve, triton-tensorrt-llm, or one that --config defines.")
    ] = "vllm",
    config: Annotated[
        str | None, Parameter(help="An EndpointPickerConfig or SchedulerConfig whose engineConfigs are known too.")
    ] = None,
    output: Format = "table",
) -> None:
    """Say what routing reads from the metrics of an engine: its queue, its KV cache, its adapters.

    Only the metrics that are needed are looked at. What cannot be a value is unknown, and told on stderr.
    """
    given = None if config is None else read_one(config)
    document = scrape_text(_text(file), engine=engine, config=given)
    for warning in document["warnings"]:
        warn(warning)
    emit(document, output, Sheet(("METRIC", "VALUE", "SAYS"), _rows(document), sentences=("SAYS",)))


def _text(file: str) -> bytes:
    if file == "-" and sys.stdin is None:
        raise InputError("stdin is closed", place=_STDIN, next="name a file")
    try:
        text = sys.stdin.buffer.read(MOST_BYTES + 1) if file == "-" else _read(Path(file))
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}", place=file, next="check the path") from None
    if len(text) > MOST_BYTES:
        message = f"it has more than {MOST_BYTES // 1024**2} MiB"
        raise InputError(message, place=_STDIN if file == "-" else file, next="hand in less of it")
    return text


def _read(path: Path) -> bytes:
    with path.open("rb") as opened:
        return opened.read(MOST_BYTES + 1)


def _rows(document: dict[str, Any]) -> list[tuple[str, ...]]:
    metrics, loras = document["metrics"], document["loras"]
    rows: list[tuple[str, ...]] = [(key, _shown(metrics[key]), says) for key, says in _WORDS.items()]
    if any(each is not None for each in loras.values()):
        rows += [(f"loras.{key}", _shown(loras[key]), says) for key, says in _ADAPTERS.items()]
    rows += [(key, _shown(value), "attribute") for key, value in document["attributes"].items()]
    return rows


def _shown(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)

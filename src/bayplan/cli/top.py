"""`bayplan top`: the endpoints of a relay and what they do, live."""

from __future__ import annotations

import sys
import time
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any, Final

from cyclopts import Parameter

from bayplan.cli.gateway.relay_admin import NoRelayError, RelayAdmin
from bayplan.cli.layout import laid_out
from bayplan.cli.output import Format, Sheet, emit, is_terminal
from bayplan.cli.server.data_folder import DataFolder, data_folder
from bayplan.cli.server.relay_folder import RelayFolder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rich.console import Console

_PAUSE_S: Final = 1.0
_COLUMNS: Final = ("ENDPOINT", "READY", "WAITING", "RUNNING", "IN FLIGHT", "KV", "HITS", "TTFT", "REQ/S", "ANSWERED")
_UNKNOWN: Final = "-"


def top(
    *,
    relay: Annotated[str | None, Parameter(help="The relay's admin URL; that of the data folder by default.")] = None,
    data: DataFolder = None,
    output: Format = "table",
    once: Annotated[bool, Parameter(help="Print one table, also on a terminal.", negative=())] = False,
) -> None:
    """Show the endpoints of a relay: their queues, KV caches, prefix hits, time to the first token, and rates.

    WAITING, RUNNING and KV are what engines say; IN FLIGHT is what the relay has there. HITS, TTFT (the median) and
    REQ/S are of the last answers. On a terminal it is refreshed every second until Ctrl-C.
    """
    admin = RelayAdmin(relay or _found(data))
    document = admin.endpoints()
    if once or output != "table" or not is_terminal(sys.stdout):
        emit(document, output, as_sheet(document), held_text(document))
        return
    from rich.console import Console  # noqa: PLC0415 (only a terminal pays for it)

    follow(admin.endpoints, document, Console(highlight=False), lambda: time.sleep(_PAUSE_S))


def follow(
    ask: Callable[[], dict[str, Any]], document: dict[str, Any], console: Console, pause: Callable[[], None]
) -> None:
    """Show the table again after each pause until Ctrl-C; a relay that does not answer is told and asked again."""
    from rich.live import Live  # noqa: PLC0415 (only a terminal pays for it)
    from rich.text import Text  # noqa: PLC0415

    problem = ""

    def shown() -> Text:
        sheet = as_sheet(document)
        lines = [*laid_out(sheet, get_terminal_size().columns, spare=True), problem or held_text(document)]
        return Text("\n".join(lines), no_wrap=True, overflow="crop")

    try:
        with Live(shown(), console=console, auto_refresh=False) as live:
            while True:
                pause()
                try:
                    document, problem = ask(), ""
                except NoRelayError as error:
                    problem = str(error)
                live.update(shown(), refresh=True)
    except KeyboardInterrupt:
        return


def as_sheet(document: dict[str, Any]) -> Sheet:
    """One row an endpoint, in the order of their names."""
    found = sorted(document["endpoints"], key=lambda each: str(each["name"]))
    return Sheet(_COLUMNS, [_row(each) for each in found], spare=(("ANSWERED",), ("REQ/S",)))


def held_text(document: dict[str, Any]) -> str:
    """A line about requests that wait at the relay itself."""
    held = document.get("held", 0)
    if not document["endpoints"]:
        return f"the relay knows no endpoints; {held} requests wait there for one"
    return f"{held} request{'s' * (held != 1)} held by the relay until an engine is free"


def _row(endpoint: dict[str, Any]) -> tuple[str, ...]:
    said, lately = endpoint.get("metrics") or {}, endpoint.get("lately") or {}
    return (
        str(endpoint["name"]),
        "yes" if endpoint["ready"] else "no",
        _number(said.get("waiting")),
        _number(said.get("running")),
        _number(endpoint["inflight"]["requests"]),
        _share(said.get("kvCacheUsage")),
        _share(lately.get("prefixHitRate")),
        _milliseconds(lately.get("ttftSecondsP50")),
        _rate(lately.get("requestsPerSecond")),
        _number(lately.get("answered")),
    )


def _number(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.0f}"


def _share(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.0%}"


def _milliseconds(seconds: float | None) -> str:
    return _UNKNOWN if seconds is None else f"{seconds * 1e3:,.0f} ms"


def _rate(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.1f}"


def _found(data: Path | None) -> str:
    folder = data_folder(data)
    url = RelayFolder(folder).admin_url()
    if url is None:
        following = "name its admin URL: --relay http://127.0.0.1:7081, or start one: bayplan up --demo"
        raise NoRelayError("no relay was started here", place=str(folder), next=following)
    return url

"""Health checks of a container: an HTTP request, a TCP connection or a command."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx

from bayplan.runtimes.processes.process_tree import signal_group

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.store import Object
    from bayplan.runtimes.processes.launch import Launch

_SHOWN = 200  # characters of an answer that an event repeats


@dataclass(frozen=True, slots=True)
class Probe:
    """What is asked, and how often; exactly one of `url`, `port` and `command` is given."""

    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    port: int | None = None
    command: tuple[str, ...] = ()
    delay_s: float = 0.0
    period_s: float = 10.0
    timeout_s: float = 1.0
    failures: int = 3
    successes: int = 1


def probe_of(document: Object | None, container: Object, launch: Launch, address: str) -> Probe | None:
    """A probe of a Pod; None where it has none, or asks for what cannot be asked here."""
    if not document:
        return None
    common: dict[str, Any] = {
        "delay_s": float(document.get("initialDelaySeconds") or 0),
        "period_s": float(document.get("periodSeconds") or 10),
        "timeout_s": float(document.get("timeoutSeconds") or 1),
        "failures": int(document.get("failureThreshold") or 3),
        "successes": int(document.get("successThreshold") or 1),
    }
    if http := document.get("httpGet"):
        host = http.get("host") or address
        port = _port(http.get("port"), container, launch)
        path = str(http.get("path") or "/")
        url = f"{str(http.get('scheme') or 'http').lower()}://{host}:{port}/{path.lstrip('/')}"
        headers = {str(each["name"]): str(each["value"]) for each in http.get("httpHeaders") or ()}
        return Probe(url, headers, **common)
    if socket := document.get("tcpSocket") or document.get("grpc"):
        return Probe(port=_port(socket.get("port"), container, launch), **common)
    if command := (document.get("exec") or {}).get("command"):
        return Probe(command=tuple(map(str, command)), **common)
    return None


def _port(wanted: object, container: Object, launch: Launch) -> int:
    """The port on this machine of a port that the Pod names, by number or by name."""
    if isinstance(wanted, str) and not wanted.isdigit():
        named = (each for each in container.get("ports") or () if each.get("name") == wanted)
        wanted = next((each.get("containerPort") for each in named), None)
    number = int(wanted) if isinstance(wanted, int | str) else 0
    return launch.ports.get(number, launch.port or number if not launch.ports else number)


class Prober:
    """Asks. One HTTP client serves all containers of a worker."""

    def __init__(self, address: str) -> None:
        self._address = address
        # what answers is a replica on this machine: its certificate, if any, proves nothing
        self._client = httpx.AsyncClient(verify=False, trust_env=False, follow_redirects=False)  # noqa: S501

    async def close(self) -> None:
        await self._client.aclose()

    async def problem(self, probe: Probe, launch: Launch) -> str:
        """What is wrong; empty where all is well."""
        try:
            async with asyncio.timeout(probe.timeout_s):
                if probe.url:
                    return await self._http(probe)
                return await self._tcp(probe.port) if probe.port else await self._command(probe, launch)
        except TimeoutError:
            return f"no answer within {probe.timeout_s:g} s"
        except (OSError, httpx.HTTPError) as error:
            return str(error) or type(error).__name__

    async def _http(self, probe: Probe) -> str:
        answer = await self._client.get(probe.url, headers=dict(probe.headers))
        if answer.status_code < 400:
            return ""
        return f"HTTP {answer.status_code}: {answer.text[:_SHOWN]}"

    async def _tcp(self, port: int) -> str:
        _, writer = await asyncio.open_connection(self._address, port)
        writer.close()
        return ""

    async def _command(self, probe: Probe, launch: Launch) -> str:
        process = await asyncio.create_subprocess_exec(
            *probe.command,
            cwd=launch.cwd,
            env=dict(launch.env),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output, _ = await process.communicate()
        except asyncio.CancelledError:
            signal_group(process.pid, signal.SIGKILL)
            await process.communicate()
            raise
        text = output.decode(errors="replace").strip()[:_SHOWN]
        return "" if process.returncode == 0 else f"exit {process.returncode}: {text}"

"""Ports: how a service listens, with TLS where it is wanted, and what is said when it cannot."""

from __future__ import annotations

import asyncio
import errno
import os
import ssl
from typing import TYPE_CHECKING, Final

from bayplan.framework.errors import InputError
from bayplan.gateway.relay.client_connection import ClientConnection

if TYPE_CHECKING:
    from pathlib import Path

    from bayplan.gateway.relay.service import Service

_BACKLOG: Final = 4_096
_LAST_PORT: Final = 65_535


async def listen(
    service: Service, host: str, port: int, *, tls: ssl.SSLContext | None = None, shares_port: bool = False,
    flag: str = "--port",
) -> asyncio.Server:  # fmt: skip
    """Have a service answer at an address; other processes may listen there too if all of them share the port."""
    loop = asyncio.get_running_loop()
    if not 0 <= port <= _LAST_PORT:
        raise InputError(f"{port} is no port", place=flag, next=f"choose 1 to {_LAST_PORT}; 0 takes a free one")
    try:
        return await loop.create_server(
            lambda: ClientConnection(service, loop), host, port, backlog=_BACKLOG, ssl=tls, reuse_port=shares_port,
            ssl_handshake_timeout=None if tls is None else service.patience.handshake_s,
            ssl_shutdown_timeout=None if tls is None else service.patience.linger_s,
        )  # fmt: skip
    except OSError as error:
        raise _cannot_listen(host, port, flag, error) from None


def _cannot_listen(host: str, port: int, flag: str, error: OSError) -> InputError:
    if error.errno == errno.EADDRINUSE:
        following = "stop the program that uses it, or choose another port; 0 takes a free one"
        return InputError(f"{host}:{port} is in use", place=flag, next=following, code="io")
    reason = os.strerror(error.errno).lower() if error.errno and error.errno > 0 else str(error)
    following = "use an address of this machine and a port that is open to this user"
    return InputError(f"cannot listen on {host}:{port}: {reason}", place=flag, next=following, code="io")


def server_tls(certificate: Path, key: Path | None) -> ssl.SSLContext:
    """TLS 1.2 or newer, HTTP/1.1 only, with a certificate of the user's."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        following = "name a PEM file with the certificate and its chain, and --tls-key with its key"
        reason = error.strerror or str(error)
        raise InputError(f"{certificate}: {reason}", place="--tls-cert", next=following) from None
    return context

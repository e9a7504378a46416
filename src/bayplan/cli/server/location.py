"""Which server a command talks to, and what it shows there: an address, a certificate authority and a token.

The first of these that is given: `--server`, $BAYPLAN_SERVER, the kubeconfig in the data folder. The first two are the
URL of a server or the path of a kubeconfig.
"""

from __future__ import annotations

import base64
import binascii
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias
from urllib.parse import SplitResult, urlsplit

from cyclopts import Parameter

from bayplan.cli.server.data_folder import KUBECONFIG, data_folder
from bayplan.cli.server.refusals import UnreachableError
from bayplan.framework.errors import InputError
from bayplan.manifests.reader import read_file

SERVER = "BAYPLAN_SERVER"
TOKEN = "BAYPLAN_TOKEN"  # noqa: S105 (the name of a variable)
_PORTS = {"https": 443, "http": 80}
_SCHEMES = tuple(f"{scheme}://" for scheme in _PORTS)

ServerAddress: TypeAlias = Annotated[
    str | None,
    Parameter(name="--server", help="The server: its URL or a kubeconfig; $BAYPLAN_SERVER by default, then --data."),
]


@dataclass(frozen=True, slots=True)
class Location:
    """A server and how to reach it; without `authority` the certificates that the system trusts are used."""

    url: str
    authority: str = ""
    token: str = ""
    folder: Path | None = None  # the data folder through which it was found, for hints

    @property
    def parts(self) -> SplitResult:
        return urlsplit(self.url)

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port: what makes two URLs the same server."""
        parts = self.parts
        return parts.scheme, (parts.hostname or "").lower(), parts.port or _PORTS.get(parts.scheme, 0)

    def start_command(self) -> str:
        """The command that starts the server which was looked for."""
        return "bayplan up" if self.folder is None else f"bayplan up --data {self.folder}"


def locate(server: str | None, data: Path | None) -> Location:
    """The server that the flags and the environment name."""
    named = server or os.environ.get(SERVER)
    if not named:
        return _of_folder(data)
    if not named.startswith(_SCHEMES):
        return read_kubeconfig(Path(named))
    location = _checked(Location(named.rstrip("/"), token=os.environ.get(TOKEN, "")))
    known = data_folder(data) / KUBECONFIG
    if not location.token and known.exists():
        own = read_kubeconfig(known)
        if own.origin == location.origin:
            return own
    return location


def _of_folder(data: Path | None) -> Location:
    folder = data_folder(data)
    file = folder / KUBECONFIG
    if not file.exists():
        start = "bayplan up" if data is None else f"bayplan up --data {folder}"
        following = f"start one: {start}; or name one: --server URL"
        raise UnreachableError("no server has run with this folder", place=str(folder), next=following)
    found = read_kubeconfig(file)
    return Location(found.url, found.authority, found.token, None if data is None else folder)


def read_kubeconfig(file: Path) -> Location:
    """The server of a kubeconfig's current context."""
    documents = read_file(file)
    data: Any = documents[0].data if documents else None
    try:
        context = _named(data["contexts"], data["current-context"])["context"]
        cluster = _named(data["clusters"], context["cluster"])["cluster"]
        user = _named(data["users"], context["user"]).get("user") or {}
        return _checked(Location(str(cluster["server"]), _authority(cluster, file), _token(user, file)))
    except (KeyError, TypeError, AttributeError, StopIteration):
        following = "name a kubeconfig with a current-context, such as the one in a server's data folder"
        raise InputError("it is no kubeconfig", place=str(file), next=following) from None


def _named(listed: Any, name: Any) -> Any:
    return next(each for each in listed if each["name"] == name)


def _authority(cluster: dict[str, Any], file: Path) -> str:
    if encoded := cluster.get("certificate-authority-data"):
        try:
            return base64.b64decode(encoded, validate=True).decode("ascii")
        except (binascii.Error, UnicodeDecodeError):
            message = "certificate-authority-data is not base64 of a certificate"
            raise InputError(message, place=str(file), next="write the file anew: start bayplan up again") from None
    named = str(cluster.get("certificate-authority") or "")
    return (file.parent / named).read_text(encoding="ascii") if named else ""


def _token(user: dict[str, Any], file: Path) -> str:
    if named := user.get("tokenFile"):
        return (file.parent / str(named)).read_text(encoding="utf-8").strip()
    return str(user.get("token", ""))


def _checked(location: Location) -> Location:
    try:
        whole = location.parts.scheme in _PORTS and location.parts.hostname and location.origin
    except ValueError:  # a port that is no number
        whole = None
    if not whole:
        following = "write https://HOST:PORT, or the path of a kubeconfig"
        raise InputError(f"{location.url[:80]!r} is no URL of a server", place="--server", next=following)
    return location

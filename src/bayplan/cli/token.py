"""`bayplan token create|list|revoke`: who may talk to a server, and what they may do."""

from __future__ import annotations

import base64
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import quote

from cyclopts import Parameter

from bayplan.cli.errors import note
from bayplan.cli.output import Format, Sheet, emit
from bayplan.cli.server.connection import connect
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import Location, ServerAddress
from bayplan.cli.text import write

TokenFormat: TypeAlias = Annotated[
    Literal["table", "wide", "json", "yaml", "kubeconfig"],
    Parameter(name=("--output", "-o"), negative=(), help="How to print it; `kubeconfig` prints a file for --server."),
]


def create(
    name: Annotated[str, Parameter(help="A name, to tell tokens apart.")],
    *,
    role: Annotated[
        Literal["admin", "editor", "viewer", "worker"],
        Parameter(help="What it may do: everything, change objects, read, or run Pods as the worker of this name."),
    ] = "viewer",
    namespace: Annotated[
        list[str] | None,
        Parameter(name=("--namespace", "-n"), negative=(), help="Only in this namespace; may be repeated."),
    ] = None,
    output: TokenFormat = "table",
    server: ServerAddress = None,
    data: DataFolder = None,
) -> None:
    """Make a token and print it. It is shown only now: the server keeps a hash of it.

    With -o kubeconfig it is a file for kubectl and for --server, with the address and the certificate of the server.
    """
    body = {"name": name, "role": role, "namespaces": namespace or []}
    with connect(server, data) as connection:
        made = connection.call("POST", "/v1/tokens", body=body, place=f"token {name}").document
    if output == "kubeconfig":
        emit(_kubeconfig(connection.location, name, made["token"]), "yaml")
        return
    if output in ("table", "wide"):
        write(f"{made['token']}\n")
        note("keep it: it is not shown again")
        return
    emit(made, output)


def list_tokens(*, output: Format = "table", server: ServerAddress = None, data: DataFolder = None) -> None:
    """List the tokens, without their secrets."""
    with connect(server, data) as connection:
        document = connection.get("/v1/tokens", place="bayplan token list")
    rows = [
        (each["name"], each["role"], ", ".join(each["namespaces"]).replace("*", "all"), each["created"], each["id"])
        for each in document["items"]
    ]
    emit(document, output, Sheet(("NAME", "ROLE", "NAMESPACES", "CREATED", "ID"), rows, wide=1))


def revoke(
    name: Annotated[str, Parameter(help="The name of the token, or its id.")],
    *,
    server: ServerAddress = None,
    data: DataFolder = None,
) -> None:
    """Refuse a token from now on."""
    with connect(server, data) as connection:
        connection.call("DELETE", f"/v1/tokens/{quote(name, safe='')}", place=f"token {name}")
    write(f"token {name} revoked\n")


def _kubeconfig(location: Location, name: str, token: str) -> dict[str, Any]:
    cluster = {"server": location.url}
    if location.authority:
        cluster["certificate-authority-data"] = base64.b64encode(location.authority.encode()).decode()
    context = {"cluster": "bayplan", "user": name, "namespace": "default"}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "bayplan", "cluster": cluster}],
        "users": [{"name": name, "user": {"token": token}}],
        "contexts": [{"name": "bayplan", "context": context}],
        "current-context": "bayplan",
    }

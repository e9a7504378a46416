"""Flags that commands for objects share, with the names that kubectl gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from cyclopts import Parameter

from bayplan.cli.errors import USAGE
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cyclopts import Token

_ON = ("server", "client", "all", "true", "")
_OFF = ("none", "false")

Namespace: TypeAlias = Annotated[
    str | None, Parameter(name=("--namespace", "-n"), help="The namespace; `default` by default.")
]
AllNamespaces: TypeAlias = Annotated[
    bool, Parameter(name=("--all-namespaces", "-A"), negative=(), help="Every namespace.")
]
Labels: TypeAlias = Annotated[
    str | None, Parameter(name=("--selector", "-l"), help="Only objects with these labels: a=b,c!=d,e in (f,g).")
]
Fields: TypeAlias = Annotated[
    str | None, Parameter(name="--field-selector", help="Only objects with these fields: spec.nodeName=w1.")
]
Manifests: TypeAlias = Annotated[
    list[str] | None,
    Parameter(
        name=("--filename", "-f"),
        allow_leading_hyphen=True,
        negative=(),
        help="A file or folder of manifests, YAML or JSON; - is stdin. May be given several times.",
    ),
]
ObjectFormat: TypeAlias = Annotated[
    Literal["table", "wide", "json", "yaml", "name"],
    Parameter(name=("--output", "-o"), negative=(), help="How to print it; `name` prints KIND/NAME alone."),
]


def _dry(_: object, tokens: Sequence[Token]) -> bool:
    """kubectl writes --dry-run=server, people --dry-run; both ask the server to store nothing."""
    value = tokens[0].implicit_value if tokens[0].implicit_value is not None else tokens[0].value
    said = str(value).lower()
    if said in _ON or said in _OFF:
        return said in _ON
    raise InputError(f"{said[:40]!r} is not known", place="--dry-run", next="write --dry-run", code=USAGE)


DryRun: TypeAlias = Annotated[
    bool,
    Parameter(name="--dry-run", negative=(), converter=_dry, help="Check everything on the server, store nothing."),
]

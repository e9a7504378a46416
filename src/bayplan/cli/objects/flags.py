"""Flags that commands for objects share, with the names that kubectl gives them."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

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


DryRun: TypeAlias = Annotated[
    bool,
    Parameter(name="--dry-run", negative=(), help="Check everything on the server, store nothing."),
]

"""`bayplan route`: which endpoint answers a request, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from bayplan.cli.errors import USAGE, warn
from bayplan.cli.files import Seed, documents_in, read_config_file, read_once
from bayplan.cli.output import Format, emit
from bayplan.cli.route_text import list_parts, route_parts
from bayplan.framework.errors import InputError
from bayplan.library.route import route as route_document
from bayplan.manifests.reader import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

SENT, NONE_SENT, SOME_SENT = 0, 2, 3
_OK = 200

EndpointFiles: TypeAlias = Annotated[
    list[str],
    Parameter(
        name="--endpoints",
        allow_leading_hyphen=True,
        negative=(),
        help="A file of endpoints, objectives and rewrites, YAML or JSON; - is stdin. May be given several times.",
    ),
]
RequestFile: TypeAlias = Annotated[
    str,
    Parameter(
        name="--request", allow_leading_hyphen=True, help="One request, or a list of steps, YAML or JSON; - is stdin."
    ),
]
RoutingConfigFile: TypeAlias = Annotated[
    str | None,
    Parameter(
        name="--config",
        help="An EndpointPickerConfig, or a SchedulerConfig with scheduler: routing; default: our own policy.",
    ),
]


def route(
    *,
    endpoints: EndpointFiles,
    request: RequestFile,
    config: RoutingConfigFile = None,
    seed: Seed = 0,
    output: Format = "table",
) -> int:
    """Say which endpoint answers a request: each scorer's share, and what was filtered. Nothing is sent.

    A list of steps is played in order: requests that arrive, first tokens, ends, metrics, endpoints that come and go.
    Exit code 0: all requests are answered with 200; 2: none is; 3: some are.
    """
    read_once(endpoints, request)
    pool = list(documents_in(endpoints, None, _anything))
    document = route_document(_requests(request), pool, config=read_config_file(config, routes=True), seed=seed)
    for warning in dict.fromkeys(document["warnings"]):
        warn(warning)
    parts = route_parts(document) if document["kind"] == "Route" else list_parts(document, wide=output == "wide")
    emit(document, output, *parts)
    return status_of(document["items"] if document["kind"] == "RouteList" else [document])


def status_of(routes: Sequence[dict[str, Any]]) -> int:
    """The exit code of answers."""
    sent = sum(each["status"] == _OK for each in routes)
    return SENT if sent == len(routes) else SOME_SENT if sent else NONE_SENT


def _requests(file: str) -> Document:
    """The request or the steps of a file; several documents are several steps."""
    documents = list(documents_in([file], None, _anything))
    if not documents:
        raise InputError(
            "holds no request", place=file, next="write one, such as {model: m, prompt: hello}", code=USAGE
        )
    if len(documents) == 1:
        return documents[0]
    return Document([each.data for each in documents], documents[0].source)


def _anything(document: Document) -> str | None:
    return None

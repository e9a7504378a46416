"""`bayplan get`: objects as a table, as documents, or by name; also while they change."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bayplan.cli.errors import USAGE, note, report
from bayplan.cli.objects.flags import AllNamespaces, Fields, Labels, Namespace, ObjectFormat
from bayplan.cli.objects.printing import print_objects, print_one_of_many
from bayplan.cli.objects.reading import changes, pages, revision_of
from bayplan.cli.objects.tables import ObjectTable, RunningTable
from bayplan.cli.objects.targets import TABLE, Target, targets_of
from bayplan.cli.server.connection import JSON, Connection, connect
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.cli.server.refusals import RefusedError
from bayplan.cli.text import write
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.framework.errors import BayplanError

COMMAND = "bayplan get"
_TABLES = ("table", "wide")


def get(
    *words: Annotated[str, Parameter(help="KIND, KIND NAME…, or KIND/NAME…; several kinds with commas.")],
    namespace: Namespace = None,
    all_namespaces: AllNamespaces = False,
    selector: Labels = None,
    field_selector: Fields = None,
    watch: Annotated[bool, Parameter(name=("--watch", "-w"), negative=(), help="Go on with every change.")] = False,
    no_headers: Annotated[bool, Parameter(negative=(), help="Leave the names of the columns out.")] = False,
    show_managed_fields: Annotated[
        bool, Parameter(negative=(), help="Show who owns which field, with -o json and yaml.")
    ] = False,
    output: ObjectFormat = "table",
    server: ServerAddress = None,
    data: DataFolder = None,
) -> int:
    """Show objects: all of a kind, or some by name.

    The data of Secrets is redacted in every format. Exit code 1 if a named object does not exist.

    Kinds, in the plural, in the singular or short: pods (po), nodes (no), namespaces (ns), events (ev),
    configmaps (cm), secrets, services (svc), serviceaccounts (sa), deployments (deploy), replicasets (rs),
    statefulsets (sts), jobs, priorityclasses (pc), poddisruptionbudgets (pdb), leases, customresourcedefinitions (crd);
    workloads (wl), clusters (cl), schedulerconfigs (sc), serverreplicas (sr);
    agentpools (ap), agentclasses (ac), models.neuronetes.io (mdl), toolbindings (tb);
    podgroups (pg), elasticquotas (eq), noderesourcetopologies (node-res-topo);
    elastichorovodjobs (ehjob), horovodjobs (hjob), unifiedjobs (ujob);
    models.mlops.seldon.io (mlm), servers (mls), serverconfigs (mlc), pipelines (mlp), experiments (mle),
    seldonruntimes (mlr), seldonconfigs (mlsc);
    inferencepools.inference.networking.k8s.io (infpool), inferencepools.inference.networking.x-k8s.io (xinfpool),
    inferenceobjectives (infobj), inferencemodels (infmodel), inferencemodelrewrites (infmodelrewrite),
    inferencepoolimports (infpimp), endpointpickerconfigs (epc); all for Pods and what makes them.
    """
    targets = targets_of(words, namespace, everywhere=all_namespaces)
    query = {"labelSelector": selector, "fieldSelector": field_selector}
    headers, fields = not no_headers, show_managed_fields
    problems: list[BayplanError] = []
    with connect(server, data) as connection:
        if watch:
            _watch(connection, targets, query, output, headers=headers, fields=fields)
        elif output in _TABLES:
            problems = _tables(connection, targets, query, output, headers=headers)
        else:
            problems = _documents(connection, targets, query, output, fields=fields)
    for problem in problems:
        report(problem, as_json=output == "json")
    return 1 if problems else 0


def _tables(
    connection: Connection, targets: list[Target], query: dict[str, Any], output: str, *, headers: bool
) -> list[BayplanError]:
    """One table for each kind, with an empty line between two; objects that are not there are told at the end."""
    groups: dict[str, list[Target]] = {}
    for each in targets:
        groups.setdefault(each.resource.full_name, []).append(each)
    problems: list[BayplanError] = []
    printed = 0
    for group in groups.values():
        prefix = group[0].named("").reference if len(groups) > 1 else ""
        found = ObjectTable()
        for target in group:
            try:
                for table in _read(connection, target, query, TABLE):
                    found.add(table, wide=output == "wide", everywhere=_everywhere(target), prefix=prefix)
            except RefusedError as error:
                problems.append(error)
        if found.rows:
            write("\n" if printed else "")
            found.print(headers=headers)
            printed += 1
    if not printed and not problems:
        note(_nothing(targets[0]))
    return problems


def _documents(
    connection: Connection, targets: list[Target], query: dict[str, Any], output: str, *, fields: bool
) -> list[BayplanError]:
    """The objects; a List unless one was asked for by its name."""
    found: list[dict[str, Any]] = []
    problems: list[BayplanError] = []
    for target in targets:
        try:
            for answer in _read(connection, target, query, JSON):
                found += _items(answer)
        except RefusedError as error:
            problems.append(error)
    one = len(targets) == 1 and bool(targets[0].name)
    if found or not (one or problems):
        print_objects(found, output, fields=fields, listed=not one)
    return problems


def _items(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The objects of an answer; those of a list lack what the list says for all of them."""
    if "items" not in answer:
        return [answer]
    common = {"apiVersion": answer["apiVersion"], "kind": answer["kind"].removesuffix("List")}
    return [common | each for each in answer["items"]]


def _read(connection: Connection, target: Target, query: dict[str, Any], accept: str) -> Iterator[dict[str, Any]]:
    if target.name:
        yield connection.get(target.path, place=target.place, accept=accept)
    else:
        yield from pages(connection, target, query, accept)


def _watch(
    connection: Connection, targets: list[Target], query: dict[str, Any], output: str, *, headers: bool, fields: bool
) -> None:
    """What is there, then every change, until the user interrupts."""
    if len(targets) != 1:
        raise InputError("one kind is watched at a time", place="-w", next="name one kind, or one object", code=USAGE)
    (target,) = targets
    asked = dict(query)
    if target.name:
        asked["fieldSelector"] = f"metadata.name={target.name}"
    show = _Shown(output, everywhere=_everywhere(target), headers=headers, fields=fields)
    whole = target.named("")
    revision = ""
    for page in pages(connection, whole, asked, show.accept):
        show.page(page)
        revision = revision_of({"metadata": page["metadata"]})
    sys.stdout.flush()
    for event in changes(connection, whole, asked, revision, show.accept):
        show.change(event["object"])
        sys.stdout.flush()


class _Shown:
    """How a watched kind is printed."""

    def __init__(self, output: str, *, everywhere: bool, headers: bool, fields: bool) -> None:
        self._output, self._everywhere, self._headers, self._fields = output, everywhere, headers, fields
        self.accept = TABLE if output in _TABLES else JSON
        self._table = ObjectTable()
        self._lines = RunningTable()

    def page(self, page: dict[str, Any]) -> None:
        """Objects that are there already."""
        if self.accept is TABLE:
            self.change(page)
            return
        for each in _items(page):
            self.change(each)

    def change(self, document: dict[str, Any]) -> None:
        """An object as it is now."""
        if self.accept is not TABLE:
            print_one_of_many(document, self._output, fields=self._fields)
            return
        rows = self._table.add(document, wide=self._output == "wide", everywhere=self._everywhere)
        self._table.rows.clear()
        if self._headers and self._table.header and rows:
            self._lines.header(self._table.header, rows)
            self._headers = False
        else:
            self._lines.rows(rows)


def _everywhere(target: Target) -> bool:
    return target.resource.namespaced and not target.namespace


def _nothing(target: Target) -> str:
    where = f" in namespace {target.namespace}" if target.namespace else ""
    return f"there are no {target.resource.plural}{where}"

"""The paths of one API as OpenAPI operations: what can be asked of a kind, with which parameters and answers.

Watches are left out: their answer is a stream of lines, which OpenAPI cannot describe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.resources.kinds import CUSTOM_GROUPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.resources.resource_type import Api, ResourceType, Subresource

Document = dict[str, Any]

JSON_PATCH, MERGE_PATCH = "application/json-patch+json", "application/merge-patch+json"
STRATEGIC_PATCH, APPLY_PATCH = "application/strategic-merge-patch+json", "application/apply-patch+yaml"


def _query(name: str, type_: str, description: str, *values: str) -> Document:
    schema: Document = {"type": type_}
    if values:
        schema["enum"] = list(values)
    return {"name": name, "in": "query", "description": description, "schema": schema}


def _in_path(name: str, description: str) -> Document:
    return {"name": name, "in": "path", "required": True, "description": description, "schema": {"type": "string"}}


_NAMESPACE = _in_path("namespace", "The namespace of the object.")
_NAME = _in_path("name", "The name of the object.")
_SELECTORS = (
    _query("labelSelector", "string", "Only objects whose labels match."),
    _query("fieldSelector", "string", "Only objects whose fields match."),
)
_LISTED = (
    *_SELECTORS,
    _query("limit", "integer", "The most objects in one answer."),
    _query("continue", "string", "Goes on where an earlier answer ended."),
    _query("resourceVersion", "string", "The revision that the answer must at least have."),
    _query("resourceVersionMatch", "string", "How resourceVersion is meant.", "Exact", "NotOlderThan"),
    _query("timeoutSeconds", "integer", "When the server gives up."),
)
_DRY_RUN = _query("dryRun", "string", "With All, everything is checked and nothing is written.", "All")
_WRITTEN = (
    _DRY_RUN,
    _query("fieldManager", "string", "Who writes."),
    _query("fieldValidation", "string", "What happens to unknown fields.", "Ignore", "Warn", "Strict"),
)
_FORCE = _query("force", "boolean", "Whether an apply takes fields that others manage.")
_DELETED = (
    _DRY_RUN,
    _query("gracePeriodSeconds", "integer", "Seconds that the object has to end."),
    _query("propagationPolicy", "string", "What happens to owned objects.", "Background", "Foreground", "Orphan"),
)


def paths_of(kind: ResourceType, api: Api, references: Mapping[str, Document]) -> dict[str, Document]:
    """The paths of one kind; `references` are those to the definitions of documents, by kind."""
    return _Paths(kind, api, references).all()


class _Paths:
    """Writes the operations of one kind."""

    def __init__(self, kind: ResourceType, api: Api, references: Mapping[str, Document]) -> None:
        self._kind, self._api, self._references = kind, api, references
        self._root = f"/apis/{api}" if api.group else f"/api/{api}"

    def all(self) -> dict[str, Document]:
        kind, root = self._kind, self._root
        scope: tuple[Document, ...] = (_NAMESPACE,) if kind.namespaced else ()
        middle = "/namespaces/{namespace}" if kind.namespaced else ""
        collection = f"{root}{middle}/{kind.plural}"
        found = {collection: self._collection(scope)}
        if kind.namespaced and "list" in kind.verbs:
            found[f"{root}/{kind.plural}"] = {"get": self._list("ForAllNamespaces")}
        if "get" in kind.verbs:
            found[f"{collection}/{{name}}"] = self._object((*scope, _NAME))
        for part in kind.subresources:
            found[f"{collection}/{{name}}/{part.name}"] = self._part(part, (*scope, _NAME))
        return found

    def _collection(self, scope: tuple[Document, ...]) -> Document:
        found: Document = {"parameters": list(scope)} if scope else {}
        if "list" in self._kind.verbs:
            found["get"] = self._list("")
        if "create" in self._kind.verbs:
            found["post"] = self._write("post", "create", self._kind.kind)
        if "deletecollection" in self._kind.verbs:
            options = self._body("DeleteOptions", required=False)
            asked = (*_SELECTORS, *_DELETED)
            found["delete"] = self._operation("deletecollection", "Status", asked, options)
        return found

    def _object(self, scope: tuple[Document, ...]) -> Document:
        return {
            "parameters": list(scope),
            "get": self._operation("get", self._kind.kind, ()),
            "put": self._write("put", "update", self._kind.kind),
            "patch": self._patch(self._kind.kind),
            "delete": self._operation("delete", "Status", _DELETED, self._body("DeleteOptions", required=False)),
        }

    def _part(self, part: Subresource, scope: tuple[Document, ...]) -> Document:
        document = part.kind or self._kind.kind
        found: Document = {"parameters": list(scope)}
        if part.name == "log":
            found["get"] = self._log()
            return found
        if "get" in part.verbs:
            found["get"] = self._operation("get", document, (), part=part)
        if "update" in part.verbs:
            found["put"] = self._write("put", "update", document, part)
        if "patch" in part.verbs:
            found["patch"] = self._patch(document, part)
        if "create" in part.verbs:
            found["post"] = self._write("post", "create", document, part)
        return found

    def _list(self, suffix: str) -> Document:
        return self._operation("list", f"{self._kind.kind}List", _LISTED, suffix=suffix)

    def _log(self) -> Document:
        asked = (
            _query("container", "string", "Which container."),
            _query("tailLines", "integer", "Only the last lines."),
        )
        found = self._operation("get", "Status", asked, suffix="Log")
        found["responses"]["200"] = {
            "description": "The log.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        }
        return found

    def _write(self, method: str, action: str, document: str, part: Subresource | None = None) -> Document:
        found = self._operation(action, document, _WRITTEN, self._body(document), part=part)
        if method == "post":
            found["responses"]["201"] = found["responses"]["200"]
        return found

    def _patch(self, document: str, part: Subresource | None = None) -> Document:
        patched: Document = {"type": "object"}
        content = {JSON_PATCH: {"schema": {"type": "array", "items": {"type": "object"}}}}
        content |= {kind: {"schema": patched} for kind in (MERGE_PATCH, APPLY_PATCH)}
        if self._api.group not in CUSTOM_GROUPS:
            content[STRATEGIC_PATCH] = {"schema": patched}
        body = {"required": True, "content": content}
        found = self._operation("patch", document, (*_WRITTEN, _FORCE), body, part=part)
        found["responses"]["201"] = found["responses"]["200"]
        return found

    def _body(self, document: str, *, required: bool = True) -> Document:
        schema = self._references[document]
        return {"required": required, "content": {"application/json": {"schema": schema}}}

    def _operation(
        self,
        action: str,
        answer: str,
        parameters: tuple[Document, ...],
        body: Document | None = None,
        *,
        part: Subresource | None = None,
        suffix: str = "",
    ) -> Document:
        content = {"application/json": {"schema": self._references[answer]}}
        failed = {"application/json": {"schema": self._references["Status"]}}
        kind = part.kind if part and part.kind else self._kind.kind
        api = part.api if part and part.api else self._api
        scope = "Namespaced" if self._kind.namespaced and not suffix.startswith("For") else ""
        named = f"{self._kind.kind}{part.name.title() if part else ''}{suffix}"
        found: Document = {
            "operationId": f"{action}{_words(str(self._api))}{scope}{named}",
            "tags": [str(self._api).replace("/", "_")],
            "parameters": list(parameters),
            "responses": {
                "200": {"description": "Done.", "content": content},
                "default": {"description": "Refused; the Status says why.", "content": failed},
            },
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": {"group": api.group, "version": api.version, "kind": kind},
        }
        return {**found, "requestBody": body} if body else found


def _words(text: str) -> str:
    """`apps/v1` as `AppsV1`, for names of operations."""
    return "".join(each.title() for each in text.replace("/", ".").replace("-", ".").split("."))

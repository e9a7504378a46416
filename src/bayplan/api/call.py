"""One request about objects, as the handlers see it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bayplan.api.access.roles import LOCAL
from bayplan.api.negotiation import Form
from bayplan.api.patches.schema_rules import rules_of
from bayplan.api.paths import Verb
from bayplan.api.rendering import View
from bayplan.api.status import Refusal
from bayplan.control.resources.selectable import selectable_fields, stored_term
from bayplan.control.selection import FieldTerm, Selection
from bayplan.control.store import Key

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.api.access.roles import User
    from bayplan.api.passed_contents import Passed
    from bayplan.api.patches.field_rules import FieldRules
    from bayplan.api.paths import ObjectPath
    from bayplan.api.query import Query
    from bayplan.control.resources.resource_type import Api, ResourceType
    from bayplan.control.store import Stored


@dataclass(slots=True)
class Call:
    """What is asked, by which client, and what it is to be told beside the answer."""

    path: ObjectPath
    verb: Verb
    resource: ResourceType
    api: Api
    query: Query
    form: Form
    body: bytes = b""
    content_type: str = ""
    user: User = LOCAL
    user_agent: str = ""
    warnings: list[str] = field(default_factory=list)
    created: str = ""
    """The name of the object to be created, which the path does not say."""
    passed: Passed | None = None
    """What is known of the content of the object that is written."""

    @property
    def key(self) -> Key:
        """The object that the path names."""
        return Key(self.resource.collection, self.path.namespace, self.path.name)

    @property
    def rules(self) -> FieldRules:
        """How the fields of the kind are merged."""
        return rules_of(self.resource, self.api)

    def text(self, stored: Stored, clock: Callable[[], float]) -> bytes:
        """One object as the client wants to see it."""
        if self.form is Form.OBJECT and self.api is self.resource.storage:
            return stored.text
        return self.view(clock).text(stored)

    def view(self, clock: Callable[[], float]) -> View:
        """How the client wants to see objects."""
        include = self.query.text("includeObject") or "Metadata"
        return View(self.resource, self.api, self.form, datetime.fromtimestamp(clock(), UTC), include)

    def selection(self) -> Selection:
        """Which objects are asked for; a field that the kind cannot be selected by is refused."""
        selection = self.query.selection()
        if self.path.name and self.verb is Verb.WATCH:
            named = FieldTerm("metadata.name", self.path.name)
            selection = Selection(selection.labels, (*selection.fields, named))
        known = selectable_fields(self.resource)
        for term in selection.fields:
            if term.path not in known:
                message = f"field label not supported: {term.path[:80]}; use one of {', '.join(known)}"
                raise Refusal(400, message)
        terms = (stored_term(self.resource, each) for each in selection.fields)
        return Selection(selection.labels, tuple(terms))

    @property
    def manager(self) -> str:
        """The name under which the client's fields are recorded: its own choice, else its program's name."""
        return (self.query.text("fieldManager") or self.user_agent.split("/", 1)[0] or "unknown")[:128]

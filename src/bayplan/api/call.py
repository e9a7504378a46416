"""One request about objects, as the handlers see it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.api.access.roles import LOCAL
from bayplan.control.store import Key

if TYPE_CHECKING:
    from bayplan.api.access.roles import User
    from bayplan.api.negotiation import Form
    from bayplan.api.paths import ObjectPath, Verb
    from bayplan.api.query import Query
    from bayplan.control.resources.resource_type import Api, ResourceType


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

    @property
    def key(self) -> Key:
        """The object that the path names."""
        return Key(self.resource.collection, self.path.namespace, self.path.name)

    @property
    def manager(self) -> str:
        """The name under which the client's fields are recorded: its own choice, else its program's name."""
        return (self.query.text("fieldManager") or self.user_agent.split("/", 1)[0] or "unknown")[:128]

"""Bearer tokens: made once and shown once, kept as hashes, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bayplan.api.access.roles import EVERYWHERE, Role, User
from bayplan.control.store import Collection, Key
from bayplan.control.store_errors import AlreadyExistsError, NotFoundError
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.store import Object, Store

COLLECTION = Collection("bayplan.io", "tokens", namespaced=False)
"""No kind of the registry has this plural, so that no path of the API reaches the hashes."""
_TOKEN = re.compile(r"bayplan_([a-z0-9]{10})_([A-Za-z0-9_-]{43})")
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?")
_SECRET_BYTES = 32  # 256 random bits need no slow hash
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token; `id` is its public part."""

    id: str
    name: str
    hash: str = field(repr=False)
    role: Role
    namespaces: tuple[str, ...]
    created: str

    @property
    def user(self) -> User:
        return User(self.name, self.role, self.namespaces)

    def document(self) -> dict[str, Any]:
        """What may be shown: everything but the hash."""
        return {
            "id": self.id,
            "name": self.name,
            "role": self.role.value,
            "namespaces": list(self.namespaces),
            "created": self.created,
        }


class Tokens:
    """The tokens of a store, with a copy in memory, because each request is checked against them."""

    def __init__(self, store: Store, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._store = store
        self._now = now
        self._known: dict[str, Token] = {}

    async def load(self) -> None:
        """Read what is stored; once, before the first request."""
        page = await self._store.list(COLLECTION)
        self._known = {token.id: token for token in (_read(each.document()) for each in page.items)}

    def list(self) -> tuple[Token, ...]:
        """All tokens, the oldest first."""
        return tuple(sorted(self._known.values(), key=lambda each: (each.created, each.name)))

    async def create(self, name: str, role: str, namespaces: tuple[str, ...] = ()) -> str:
        """A new token, which is shown only now; `namespaces` empty means all."""
        if not _NAME.fullmatch(name):
            following = "use lower case letters, digits, '-' and '.', at most 63 characters"
            raise InputError(f"{name[:80]!r} is no valid name of a token", place="name", next=following)
        if role not in tuple(Role):
            raise InputError(f"no role is called {role[:40]!r}", place="role", next=f"use one of {', '.join(Role)}")
        if any(each.name == name for each in self._known.values()):
            raise AlreadyExistsError(
                f"a token {name!r} exists", place="name", next="revoke it first, or choose another"
            )
        public = "".join(secrets.choice(_LETTERS) for _ in range(10))
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        created = self._now().isoformat(timespec="seconds").replace("+00:00", "Z")
        token = Token(public, name, _hash(secret), Role(role), namespaces or (EVERYWHERE,), created)
        await self._store.create(COLLECTION, _written(token))
        self._known[public] = token
        return f"bayplan_{public}_{secret}"

    async def revoke(self, name: str) -> None:
        """Refuse a token from now on; by its name or its public part."""
        found = [each for each in self._known.values() if name in (each.name, each.id)]
        if not found:
            raise NotFoundError(f"there is no token {name[:80]!r}", next="`bayplan token list` shows them")
        await self._store.delete(Key(COLLECTION, "", found[0].id))
        del self._known[found[0].id]

    def user(self, text: str) -> User | None:
        """Who presents this token; None where it is not known."""
        parts = _TOKEN.fullmatch(text)
        token = self._known.get(parts[1]) if parts else None
        if parts is None or token is None:
            return None
        return token.user if hmac.compare_digest(_hash(parts[2]), token.hash) else None


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _written(token: Token) -> Object:
    return {
        "apiVersion": "bayplan.io/v1alpha1",
        "kind": "Token",
        "metadata": {"name": token.id},
        "spec": token.document() | {"hash": token.hash},
    }


def _read(document: Object) -> Token:
    spec = document["spec"]
    return Token(spec["id"], spec["name"], spec["hash"], Role(spec["role"]), tuple(spec["namespaces"]), spec["created"])

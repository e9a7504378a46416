"""How a store refuses; the API answers each with the HTTP status and the reason of Kubernetes.

StoreError               every refusal of a store
├── NotFoundError        there is no such object (404)
│   └── NamespaceNotFoundError  nor the namespace in which it is to be created
├── AlreadyExistsError   the name is taken (409)
├── StaleError           the object changed since it was read, or a precondition fails (409)
├── ExpiredError         the revision asked for is no longer kept (410)
├── ForbiddenError       the rules do not let this happen now, such as writing into a namespace that ends (403)
├── InvalidObjectError   the object cannot be stored like this (422)
└── StoreFailedError     the store cannot write or read: disk full, read-only, damaged (500, 507)
"""

from __future__ import annotations

from bayplan.framework.errors import BayplanError


class StoreError(BayplanError):
    """A store refuses; nothing was written."""

    code = "store"


class NotFoundError(StoreError):
    """There is no object of that name."""

    code = "not-found"


class NamespaceNotFoundError(NotFoundError):
    """There is no namespace for a new object."""


class AlreadyExistsError(StoreError):
    """An object of that name exists."""

    code = "already-exists"


class StaleError(StoreError):
    """The object changed since the caller read it, or has another uid than the caller expects."""

    code = "conflict"


class ExpiredError(StoreError):
    """The revision is older than the history that is kept: list again."""

    code = "expired"


class ForbiddenError(StoreError):
    """The object could be stored at another time or place, but not here and now."""

    code = "forbidden"


class InvalidObjectError(StoreError):
    """The metadata of the object breaks a rule, such as a new finalizer on an object that is being deleted."""

    code = "invalid"


class StoreFailedError(StoreError):
    """The store itself cannot work; `place` is its file."""

    code = "store-failed"

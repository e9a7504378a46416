"""Keys as the rows of the database have them: the collection is a text such as `agentpools.neuronetes.io`."""

from __future__ import annotations

from functools import lru_cache

from bayplan.control.store import Collection, Key


@lru_cache(maxsize=1_024)  # far more than there are kinds
def collection_text(collection: Collection) -> str:
    """The name in the database."""
    return str(collection)


@lru_cache(maxsize=1_024)
def collection_named(text: str, *, namespaced: bool) -> Collection:
    """The collection of that name; whether it has a status of its own is not known here."""
    plural, _, group = text.partition(".")
    return Collection(group, plural, namespaced)


def key_of(collection: str, namespace: str, name: str) -> Key:
    """The key of a row."""
    return Key(collection_named(collection, namespaced=bool(namespace)), namespace, name)

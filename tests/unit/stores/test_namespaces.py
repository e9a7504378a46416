import asyncio

import pytest

from bayplan.control.store import Collection, Key
from bayplan.control.store_errors import ForbiddenError, NamespaceNotFoundError
from bayplan.stores.memory import MemoryShelf
from bayplan.stores.namespaces import NAMESPACES, Namespaces, namespace_object, new_namespace
from bayplan.stores.shelf import Write

PODS = Collection("", "pods")
TEAM = Key(NAMESPACES, "", "team")


def test_a_new_namespace_is_active_and_held():
    given = namespace_object("team")
    given["metadata"]["labels"] = {"a": "b"}
    made = new_namespace(given)

    assert made["spec"] == {"finalizers": ["kubernetes"]}
    assert made["status"] == {"phase": "Active"}
    assert made["metadata"]["labels"] == {"a": "b", "kubernetes.io/metadata.name": "team"}


def refusal(namespaces):
    try:
        namespaces.check(PODS, "team")
    except (ForbiddenError, NamespaceNotFoundError) as error:
        return type(error)
    return None


def test_what_was_found_is_forgotten_when_it_changes():
    """Each state is asked for twice, so that the second answer is the remembered one."""

    async def talk():
        shelf = MemoryShelf()
        namespaces = Namespaces(shelf)
        shelf.listen(namespaces.notice)
        said = [refusal(namespaces), refusal(namespaces)]
        document = {"metadata": {"uid": "u", "name": "team"}}
        await shelf.write([Write(TEAM, document)])
        said += [refusal(namespaces), refusal(namespaces)]
        stored = shelf.read(TEAM)
        document = stored.document()
        document["metadata"]["deletionTimestamp"] = "now"
        await shelf.write([Write(TEAM, document, stored)])
        said += [refusal(namespaces), refusal(namespaces)]
        await shelf.write([Write(TEAM, document, shelf.read(TEAM), gone=True)])
        return [*said, refusal(namespaces)]

    gone, ends = NamespaceNotFoundError, ForbiddenError
    assert asyncio.run(talk()) == [gone, gone, None, None, ends, ends, gone]


def test_the_next_step_is_told():
    with pytest.raises(NamespaceNotFoundError, match="namespaces team: not found; create the namespace first"):
        Namespaces(MemoryShelf()).check(PODS, "team")

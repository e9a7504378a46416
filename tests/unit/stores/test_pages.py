import asyncio

import pytest

from bayplan.control.selection import Selection, parse_labels
from bayplan.control.store import Collection, Key
from bayplan.framework.errors import InputError
from bayplan.stores import pages
from bayplan.stores.memory import MemoryShelf
from bayplan.stores.pages import Place, beginning, place_of
from bayplan.stores.shelf import Write

PODS = Collection("", "pods")
EVEN = Selection(parse_labels("even=yes"))


def test_a_place_is_read_from_its_token():
    assert place_of(Place(7, "team", "chat").token()) == Place(7, "team", "chat")


@pytest.mark.parametrize("token", ["x", "e30=", "bnVsbA==", "WzEsMl0=", "WyIxIiwiYSIsImIiXQ==", "é", "=" * 9])
def test_what_no_list_answered_is_refused(token):
    with pytest.raises(InputError, match="continue: is not what a list answered; begin the list again"):
        place_of(token)


def listed(limit, selection=None, namespace="", steps=500):
    """All pages of five objects in two namespaces: the names, and how many were said to remain."""

    async def talk():
        shelf = MemoryShelf()
        for number in range(5):
            labels = {"even": "yes"} if number % 2 == 0 else {}
            metadata = {"name": f"p{number}", "namespace": "ab"[number % 2], "uid": str(number), "labels": labels}
            await shelf.write([Write(Key(PODS, metadata["namespace"], metadata["name"]), {"metadata": metadata})])
        found, start = [], beginning(shelf.revision())
        while True:
            page = await pages.page(shelf, PODS, namespace, selection, start, limit)
            found.append(([each.document()["metadata"]["name"] for each in page.items], page.remaining))
            if not page.next:
                return found
            start = place_of(page.next)

    return asyncio.run(talk())


CASES = {
    "everything": ((0,), [(["p0", "p2", "p4", "p1", "p3"], None)]),
    "pages": ((2,), [(["p0", "p2"], 3), (["p4", "p1"], 1), (["p3"], None)]),
    "the last page is full": ((5,), [(["p0", "p2", "p4", "p1", "p3"], None)]),
    "one namespace": ((1, None, "b"), [(["p1"], 1), (["p3"], None)]),
    "a selection says nothing of the rest": ((2, EVEN), [(["p0", "p2"], None), (["p4"], None)]),
    "nothing chosen": ((2, EVEN, "b"), [([], None)]),
}


@pytest.mark.parametrize("step", [1, 2, 500])
@pytest.mark.parametrize(("asked", "expected"), CASES.values(), ids=CASES)
def test_pages(monkeypatch, asked, expected, step):
    monkeypatch.setattr(pages, "_STEP", step)

    assert listed(*asked) == expected

"""GET of one object and of lists."""

import pytest

from served_api import run
from unit.api.objects import NODES, PODS, TABLE, node, pod, post


def names(answer):
    return [each["metadata"]["name"] for each in answer.json["items"]]


def test_one_object_and_none():
    async def talk(api):
        (made,) = await post(api, PODS, pod())
        found, missing = await api.ask("GET", f"{PODS}/p"), await api.ask("GET", f"{PODS}/q")
        return made, found, missing

    made, found, missing = run(talk)
    assert found.json == made
    assert missing.status == 404
    assert missing.json["message"] == 'pods "q" not found'
    assert missing.json["details"]["name"] == "q"


def test_lists_are_chosen_by_labels_fields_and_namespace():
    async def talk(api):
        await post(api, PODS, pod("a", labels={"app": "x"}), pod("b", labels={"app": "y"}), pod("c", nodeName="n"))
        await post(api, "/api/v1/namespaces/kube-system/pods", pod("d"))
        urls = (f"{PODS}?labelSelector=app%3Dx", f"{PODS}?fieldSelector=spec.nodeName%3Dn", "/api/v1/pods", PODS)
        return [names(await api.ask("GET", url)) for url in urls]

    assert run(talk) == [["a"], ["c"], ["a", "b", "c", "d"], ["a", "b", "c"]]


def test_pages_are_one_list():
    async def talk(api):
        await post(api, NODES, *(node(f"n{number}") for number in range(5)))
        first = await api.ask("GET", f"{NODES}?limit=2")
        await post(api, NODES, node("n1a"))  # later than the first page
        token = first.json["metadata"]["continue"]
        second = await api.ask("GET", f"{NODES}?limit=9&continue={token}")
        return first, second

    first, second = run(talk)
    assert names(first) + names(second) == [f"n{number}" for number in range(5)]
    assert first.json["metadata"]["remainingItemCount"] == 3
    assert first.json["metadata"]["resourceVersion"] == second.json["metadata"]["resourceVersion"]
    assert "continue" not in second.json["metadata"]


def test_an_older_state():
    async def talk(api):
        (made,) = await post(api, NODES, node("a"))
        await post(api, NODES, node("b"))
        revision = made["metadata"]["resourceVersion"]
        exact = await api.ask("GET", f"{NODES}?resourceVersion={revision}&resourceVersionMatch=Exact")
        newer = await api.ask("GET", f"{NODES}?resourceVersion={revision}")
        future = await api.ask("GET", f"{NODES}?resourceVersion=99999")
        return names(exact), names(newer), future.status

    assert run(talk) == (["a"], ["a", "b"], 504)


def test_a_table_for_people():
    async def talk(api):
        await post(api, NODES, node())
        return (await api.ask("GET", NODES, accept=TABLE)).json

    table = run(talk)
    assert table["kind"] == "Table"
    assert [each["name"] for each in table["columnDefinitions"]][:2] == ["Name", "Status"]
    assert table["rows"][0]["cells"][:2] == ["n", "Ready"]
    assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata"


def test_metadata_alone():
    async def talk(api):
        await post(api, NODES, node())
        accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
        return (await api.ask("GET", NODES, accept=accept)).json

    found = run(talk)
    assert found["kind"] == "PartialObjectMetadataList"
    assert set(found["items"][0]) == {"kind", "apiVersion", "metadata"}


BAD = {
    "a selector": f"{PODS}?labelSelector=a%20b",
    "a field": f"{PODS}?fieldSelector=spec.nothing%3Dx",
    "a limit": f"{PODS}?limit=-1",
    "a revision": f"{PODS}?resourceVersion=abc",
    "a page": f"{PODS}?limit=1&continue=nonsense",
    "how to match": f"{PODS}?resourceVersion=1&resourceVersionMatch=Some",
    "a match without revision": f"{PODS}?resourceVersionMatch=Exact",
}


@pytest.mark.parametrize("url", BAD.values(), ids=BAD)
def test_what_cannot_be_read_is_refused(url):
    async def talk(api):
        return await api.ask("GET", url)

    answer = run(talk)
    assert answer.status == 400
    assert answer.json["kind"] == "Status"


WRONG = {
    ("GET", "/api/v1/nonsense"): 404,
    ("GET", "/apis/none.io/v1/things"): 404,
    ("PUT", PODS): 405,
    ("GET", f"{PODS}/p/nonsense"): 404,
    ("GET", "/api/v1/pods/p"): 404,
    ("GET", "/api/v1/namespaces/default/nodes/n"): 404,
    ("GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"): 405,
}


@pytest.mark.parametrize(("asked", "status"), WRONG.items(), ids=map(str, WRONG))
def test_what_is_not_served(asked, status):
    async def talk(api):
        return await api.ask(*asked)

    assert run(talk).status == status

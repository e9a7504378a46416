"""What is refused about a Secret does not repeat it; the same bodies as ConfigMaps show that something is hidden."""

from typing import Any

import pytest

from served_api import Answer, run

BODIES = {
    "data as text": ({"metadata": {"name": "s"}, "data": "hunter2"}, 422),
    "another kind": ({"kind": "hunter2", "metadata": {"name": "s"}}, 400),
    "another apiVersion": ({"apiVersion": "hunter2", "metadata": {"name": "s"}}, 400),
    "text as flag": ({"metadata": {"name": "s"}, "immutable": "hunter2"}, 422),
    "key of an annotation": ({"metadata": {"name": "s", "annotations": {"hunter2 !": "x"}}}, 422),
}
PATCHES = {
    "merge": ({"data": "hunter2"}, "application/merge-patch+json", 422),
    "strategic merge": ({"$patch": "hunter2"}, "application/strategic-merge-patch+json", 422),
    "part of a strategic merge": ({"data": {"$patch": "hunter2"}}, "application/strategic-merge-patch+json", 422),
    "apply": (
        {"apiVersion": "v1", "kind": "hunter2", "metadata": {"name": "x"}},
        "application/apply-patch+yaml",
        400,
    ),
}
TEXTS = {
    "an alias": (b"data:\n  p: *hunter2\n", "application/yaml"),
    "a key twice": (b'{"hunter2": 1, "hunter2": 2}', "application/json"),
    "a key twice in YAML": (b'{"hunter2": 1, "hunter2": 2}', "application/yaml"),
}
QUIET = {
    "a list as value": {"metadata": {"name": "s"}, "data": {"password": ["hunter2"]}},
    "no base64": {"metadata": {"name": "s"}, "data": {"password": "hunter2!"}},
    "a number as text": {"metadata": {"name": "s", "annotations": {"a": {"b": "hunter2"}}}, "stringData": {"p": 1}},
}
"""Refused without a value also for other kinds, or for Secrets alone."""


def asked(method: str, name: str, body: Any, media: str = "application/json", query: str = "") -> list[Answer]:
    """The same request about a Secret and about a ConfigMap."""

    async def talk(api: Any) -> list[Answer]:
        answers = []
        for plural in ("secrets", "configmaps"):
            url = f"/api/v1/namespaces/default/{plural}"
            assert (await api.ask("POST", url, {"metadata": {"name": "x"}, "data": {"p": "aGk="}})).status == 201
            answers.append(await api.ask(method, f"{url}{name}{query}", body, media=media))
        return answers

    answers: list[Answer] = run(talk)
    return answers


def shown(answer: Answer) -> bool:
    return "hunter2" in answer.body.decode() + str(answer.headers)


@pytest.mark.parametrize("query", ["", "?fieldValidation=Strict"])
@pytest.mark.parametrize(("body", "status"), BODIES.values(), ids=BODIES)
def test_bodies(body: Any, status: int, query: str) -> None:
    secret, other = asked("POST", "", body, query=query)

    assert (secret.status, other.status) == (status, status)
    assert (shown(secret), shown(other)) == (False, True)


@pytest.mark.parametrize(("body", "media", "status"), PATCHES.values(), ids=PATCHES)
def test_patches(body: Any, media: str, status: int) -> None:
    secret, other = asked("PATCH", "/x?fieldManager=m", body, media)

    assert (secret.status, other.status) == (status, status)
    assert (shown(secret), shown(other)) == (False, True)


@pytest.mark.parametrize(("text", "media"), TEXTS.values(), ids=TEXTS)
def test_texts_that_cannot_be_read(text: bytes, media: str) -> None:
    secret, other = asked("POST", "", text, media)

    assert (secret.status, other.status) == (400, 400)
    assert (shown(secret), shown(other)) == (False, True)


@pytest.mark.parametrize("body", QUIET.values(), ids=QUIET)
def test_values_that_are_wrong(body: Any) -> None:
    secret, _ = asked("POST", "", body)

    assert (secret.status, shown(secret)) == (422, False)


def test_unknown_fields_of_a_secret_are_not_named_where_they_are_refused() -> None:
    secret, other = asked("POST", "", {"metadata": {"name": "s"}, "hunter2": 1}, query="?fieldValidation=Strict")

    assert (secret.status, other.status) == (400, 400)
    assert (shown(secret), shown(other)) == (False, True)

"""Refusals about Secrets."""

from bayplan.api.access.secrecy import withheld
from bayplan.api.status import Cause, Refusal, invalid


def test_values_are_left_out_and_fields_stay() -> None:
    refusal = withheld(invalid("Secret", "s", "", [Cause("data.password", "'hunter2' is no base64")]))
    text = str(refusal.document())
    assert "hunter2" not in text
    assert "data.password" in text
    assert refusal.code == 422


def test_problems_of_names_are_told() -> None:
    assert "'A_b' is no name" in str(withheld(invalid("Secret", "s", "", [Cause("metadata.name", "'A_b' is no name")])))


def test_a_body_that_cannot_be_read() -> None:
    assert "hunter2" not in str(withheld(Refusal(400, "body:1:2: found 'hunter2'")).document())


def test_refusals_that_name_objects_alone_stay() -> None:
    refusal = Refusal(409, 'secrets "s" already exists')
    assert withheld(refusal) is refusal

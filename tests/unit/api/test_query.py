"""Parameters of a query, read and checked."""

import pytest

from bayplan.api.query import FieldValidation, Query
from bayplan.api.status import Refusal


def test_defaults() -> None:
    query = Query({})
    assert not query.flag("watch")
    assert query.number("limit") is None
    assert not query.dry_run
    assert query.field_validation is FieldValidation.WARN
    assert not query.selection()


def test_values() -> None:
    query = Query({"watch": "true", "limit": "5", "dryRun": "All", "fieldValidation": "Strict", "labelSelector": "a=b"})
    assert query.flag("watch")
    assert query.number("limit") == 5
    assert query.dry_run
    assert query.field_validation is FieldValidation.STRICT
    assert query.selection().matches({"metadata": {"labels": {"a": "b"}}})
    assert not query.selection().matches({"metadata": {"labels": {"a": "c"}}})


def test_flag_without_value_is_yes() -> None:
    assert Query({"watch": ""}).flag("watch")
    assert not Query({"watch": "0"}).flag("watch")


BAD = {
    "flag": lambda: Query({"watch": "maybe"}).flag("watch"),
    "negative": lambda: Query({"limit": "-1"}).number("limit"),
    "not ASCII": lambda: Query({"limit": "٣"}).number("limit"),
    "huge": lambda: Query({"limit": "9" * 400_000}).number("limit"),
    "dry run": lambda: Query({"dryRun": "Some"}).dry_run,
    "field validation": lambda: Query({"fieldValidation": "strict"}).field_validation,
}


@pytest.mark.parametrize("read", BAD.values(), ids=BAD)
def test_refused(read) -> None:
    with pytest.raises(Refusal) as caught:
        read()
    assert caught.value.code == 400
    assert len(caught.value.message) < 200

"""Label and field selectors in the text form of Kubernetes."""

import pytest

from bayplan.control.selection import Selection, field_text, parse_fields, parse_labels
from bayplan.framework.errors import InputError

LABELS = {"app": "web", "tier": "front", "size": "5", "empty": ""}
CASES = {
    "": True,
    "app=web": True,
    "app==web": True,
    "app = web": True,
    "app!=web": False,
    "other!=web": True,
    "app in (web, api)": True,
    "app in (api)": False,
    "app notin (api, db),tier=front": True,
    "missing notin (a)": True,
    "app": True,
    "!app": False,
    "missing": False,
    "!missing , app": True,
    "size>4": True,
    "size<5": False,
    "empty=": True,
    "app=": False,
}


@pytest.mark.parametrize(("text", "chosen"), CASES.items(), ids=CASES)
def test_labels(text: str, chosen: bool) -> None:
    assert parse_labels(text).matches(LABELS) is chosen


@pytest.mark.parametrize("text", ["a b", "a in (", "=x", "a,,b", "a=b c", "a in b", "n>x"])
def test_labels_that_cannot_be_read(text: str) -> None:
    with pytest.raises(InputError):
        parse_labels(text)


POD = {"metadata": {"name": "p"}, "spec": {"nodeName": "n", "hostNetwork": True}, "status": {"phase": "Running"}}
FIELDS = {
    "": True,
    "metadata.name=p": True,
    "metadata.name==p,spec.nodeName=n": True,
    "spec.nodeName!=": True,
    "spec.nodeName=": False,
    "status.phase!=Running": False,
    "status.podIP=": True,
    "spec.hostNetwork=true": True,
}


@pytest.mark.parametrize(("text", "chosen"), FIELDS.items(), ids=FIELDS)
def test_fields(text: str, chosen: bool) -> None:
    assert Selection(fields=parse_fields(text)).matches(POD) is chosen


@pytest.mark.parametrize("text", ["spec", "=a", "!=a"])
def test_fields_that_cannot_be_read(text: str) -> None:
    with pytest.raises(InputError):
        parse_fields(text)


def test_selection_is_false_where_it_excludes_nothing() -> None:
    assert not Selection()
    assert Selection(parse_labels("a"))


def test_field_text_of_something_that_is_no_object() -> None:
    assert field_text({"spec": ["a"]}, "spec.nodeName") == ""

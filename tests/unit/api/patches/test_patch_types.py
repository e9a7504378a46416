"""Which patches a kind takes, and the options that belong to them."""

import pytest

from bayplan.api.patches.field_rules import UNTYPED
from bayplan.api.patches.patch_types import PatchType, check_options, patch_type, patched
from bayplan.api.status import Refusal


@pytest.mark.parametrize("kind", PatchType)
def test_media_types(kind):
    assert patch_type(f"{kind.value.upper()} ; charset=utf-8", custom=False) is kind


@pytest.mark.parametrize("content_type", ["", "application/json", PatchType.STRATEGIC])
def test_other_media_types_of_a_custom_kind(content_type):
    with pytest.raises(Refusal) as refusal:
        patch_type(content_type, custom=True)

    assert refusal.value.code == 415
    assert refusal.value.message == (
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
    )
    assert refusal.value.document()["reason"] == "UnsupportedMediaType"


PATCHES = {
    PatchType.JSON: [{"op": "add", "path": "/a", "value": 1}],
    PatchType.MERGE: {"a": 1},
    PatchType.STRATEGIC: {"a": 1},
}


@pytest.mark.parametrize("kind", PATCHES)
def test_patches(kind):
    assert patched(kind, {"b": 2}, PATCHES[kind], UNTYPED) == {"a": 1, "b": 2}


@pytest.mark.parametrize("kind", PATCHES)
def test_bodies_of_another_form(kind):
    with pytest.raises(Refusal) as refusal:
        patched(kind, {}, "text", UNTYPED)

    assert refusal.value.code == 400


REFUSED = {
    "no manager": (PatchType.APPLY, "", False, "fieldManager: Required value: is required for apply patch"),
    "force of another patch": (PatchType.JSON, "m", True, "force: Forbidden: may not be specified for non-apply patch"),
    "long manager": (PatchType.APPLY, "m" * 129, False, "fieldManager: Too long: may not be more than 128 characters"),
    "unprintable": (
        PatchType.MERGE,
        "a\n",
        False,
        "fieldManager: Invalid value: should only contain printable characters",
    ),
}


@pytest.mark.parametrize(("kind", "manager", "force", "text"), REFUSED.values(), ids=REFUSED)
def test_options_that_are_refused(kind, manager, force, text):
    with pytest.raises(Refusal) as refusal:
        check_options(kind, manager, force=force)

    assert refusal.value.code == 422
    assert refusal.value.message == f'PatchOptions.meta.k8s.io "" is invalid: {text}'
    assert refusal.value.causes[0].field == text.split(":")[0]


def test_options_that_are_accepted():
    check_options(PatchType.APPLY, "kubectl", force=True)
    check_options(PatchType.MERGE, "", force=False)

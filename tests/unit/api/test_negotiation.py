"""Forms of answers by the Accept header."""

import pytest

from bayplan.api.negotiation import Form, accepted_form, content_type
from bayplan.api.status import Refusal

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
CASES = {
    "": Form.OBJECT,
    "*/*": Form.OBJECT,
    "application/json": Form.OBJECT,
    "application/vnd.kubernetes.protobuf,application/json": Form.OBJECT,
    TABLE: Form.TABLE,
    f"{TABLE},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json": Form.TABLE,
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1": Form.METADATA,
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1": Form.METADATA,
    "application/json;as=Unknown;g=meta.k8s.io;v=v1,application/json": Form.OBJECT,
    "application/json;q=0.9": Form.OBJECT,
}


@pytest.mark.parametrize(("header", "form"), CASES.items(), ids=CASES)
def test_accepted_form(header: str, form: Form) -> None:
    assert accepted_form(header) is form


def test_nothing_can_be_given() -> None:
    with pytest.raises(Refusal) as caught:
        accepted_form("application/vnd.kubernetes.protobuf")
    assert caught.value.code == 406


def test_content_type() -> None:
    assert content_type("Application/JSON; charset=utf-8") == "application/json"

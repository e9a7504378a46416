import pytest

from bayplan.gateway.models.grpc_messages import read_model, repository_index, with_model
from bayplan.gateway.models.v2_question import QuestionError
from bayplan.gateway.protobuf.writer import message, number, text

NAME, VERSION, REST = text(1, "iris"), text(2, "7"), text(3, "id") + message(7, bytes(300)) + number(9, 70_000)

REQUESTS = {
    "a name": (NAME + REST, ("iris", ""), text(1, "iris_2") + REST),
    "a version, which is part of the new name": (NAME + VERSION + REST, ("iris", "7"), text(1, "iris_2") + REST),
    "in another order": (REST + VERSION + NAME, ("iris", "7"), text(1, "iris_2") + REST),
    "in the middle": (REST + NAME + REST, ("iris", ""), text(1, "iris_2") + REST + REST),
    "no name": (REST, ("", ""), text(1, "iris_2") + REST),
    "nothing": (b"", ("", ""), text(1, "iris_2")),
}  # fmt: skip


@pytest.mark.parametrize(("request_", "model", "renamed"), REQUESTS.values(), ids=REQUESTS)
def test_only_the_model_is_written_anew(request_, model, renamed):
    assert read_model(request_) == model
    assert with_model(request_, "iris_2") == renamed


@pytest.mark.parametrize("broken", [b"\x0a\x09ab", b"\x00\x01", b"\x0a\x02\xff\xfe", b"\x80"])
def test_bytes_that_are_no_message(broken):
    with pytest.raises(QuestionError, match="no message of the V2 protocol"):
        read_model(broken)


def test_an_index():
    entries = [{"name": "iris", "version": "1", "state": "READY", "reason": ""}]

    assert repository_index(entries) == message(1, text(1, "iris") + text(2, "1") + text(3, "READY"))

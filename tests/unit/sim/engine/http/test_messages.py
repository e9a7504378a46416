import pytest

from bayplan.sim.engine.http.messages import REASONS, chunk, head


def test_an_answer_with_a_length():
    assert head(200, "text/plain", length=5, keeps_alive=True) == (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\n"
    )


def test_an_answer_in_chunks_on_a_connection_that_closes():
    assert head(503, "text/plain", length=None, keeps_alive=False, extra="retry-after: 1\r\n") == (
        b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n"
        b"connection: close\r\nretry-after: 1\r\n\r\n"
    )


def test_a_chunk_has_its_size_before_it():
    assert chunk(b"x" * 20) == b"14\r\n" + b"x" * 20 + b"\r\n"


@pytest.mark.parametrize("status", REASONS)
def test_every_status_has_a_reason(status):
    assert head(status, "a/b", length=0, keeps_alive=True).startswith(
        f"HTTP/1.1 {status} {REASONS[status]}\r\n".encode()
    )

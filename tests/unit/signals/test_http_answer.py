import pytest

from bayplan.signals.http_answer import MOST_HEAD_BYTES, FetchProblem, HttpAnswer

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"


def read(text, *, most=100, step=None, ended=None):
    answer = HttpAnswer(most)
    for at in range(0, len(text), step or len(text) or 1):
        if not answer.is_over:
            answer.feed(text[at : at + (step or len(text))])
    if ended is not None:
        answer.end(is_clean=ended)
    return answer


def head(*lines, status="200 OK"):
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode()


GOOD = {
    "a length": (head("Content-Length: 5") + b"abcde", None, True),
    "an empty body": (head("Content-Length: 0"), None, True),
    "chunks": (CHUNKED, None, True),
    "up to the end of the connection": (head() + b"abcde", True, False),
    "a server that closes": (head("Content-Length: 5", "Connection: close") + b"abcde", None, False),
    "an older version": (b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nabcde", None, False),
    "an announcement before": (head(status="100 Continue") + head("Content-Length: 5") + b"abcde", None, True),
    "identity is no encoding": (head("Content-Length: 5", "Content-Encoding: Identity") + b"abcde", None, True),
    "more than was announced": (head("Content-Length: 5") + b"abcdefgh", None, False),
    "a second answer": (head("Content-Length: 5") + b"abcde" + head("Content-Length: 1") + b"x", None, False),
}


@pytest.mark.parametrize("step", [None, 1], ids=["at once", "byte by byte"])
@pytest.mark.parametrize(("text", "ended", "kept"), GOOD.values(), ids=GOOD)
def test_good_answers(text, ended, kept, step):
    answer = read(text, ended=ended, step=step)

    assert answer.is_over
    assert answer.problem is None
    assert answer.body in (b"abcde", b"")
    if step is None:
        assert answer.is_kept is kept


BAD = {
    "no HTTP": (b"SSH-2.0-OpenSSH_9.6\r\n", None, FetchProblem.BROKEN),
    "another status": (head("Content-Length: 3", status="503 Busy") + b"abc", None, FetchProblem.STATUS),
    "a redirect": (head("Location: http://x/", "Content-Length: 0", status="302 Found"), None, FetchProblem.STATUS),
    "too long, as announced": (head("Content-Length: 101"), None, FetchProblem.TOO_LARGE),
    "a length of many digits": (head("Content-Length: " + "9" * 19), None, None),
    "too long, in chunks": (CHUNKED.replace(b"3\r\nabc", b"80\r\n" + b"x" * 128), None, FetchProblem.TOO_LARGE),
    "too long, without an end": (head() + b"x" * 101, None, FetchProblem.TOO_LARGE),
    "compressed": (head("Content-Encoding: gzip", "Content-Length: 3") + b"abc", None, FetchProblem.BROKEN),
    "less than was announced": (head("Content-Length: 9") + b"abc", True, FetchProblem.BROKEN),
    "chunks that break off": (CHUNKED[:-5], True, FetchProblem.BROKEN),
    "a reset inside a body without a length": (head() + b"abc", False, FetchProblem.BROKEN),
    "an end inside the head": (b"HTTP/1.1 200", True, FetchProblem.BROKEN),
    "an end before the answer": (b"", True, FetchProblem.UNREACHABLE),
    "an endless head": (b"HTTP/1.1 200 OK\r\nX: " + b"x" * MOST_HEAD_BYTES, None, FetchProblem.BROKEN),
    "two lengths": (head("Content-Length: 3", "Content-Length: 4") + b"abc", None, FetchProblem.BROKEN),
    "a length below 0": (head("Content-Length: -3") + b"abc", None, FetchProblem.BROKEN),
}


@pytest.mark.parametrize(("text", "ended", "problem"), BAD.values(), ids=BAD)
def test_bad_answers(text, ended, problem):
    answer = read(text, ended=ended)

    assert answer.is_over
    assert answer.problem is not None
    assert problem in (answer.problem, None)
    assert answer.body == b""
    assert answer.detail


def test_an_answer_that_is_not_whole_yet():
    answer = read(head("Content-Length: 5") + b"abc")

    assert not answer.is_over
    assert answer.has_begun

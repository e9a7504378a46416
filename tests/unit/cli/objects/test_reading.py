"""Watches that end, and histories that are too short."""

from itertools import islice

import pytest

from bayplan.cli.objects.reading import changes
from bayplan.cli.objects.targets import targets_of
from bayplan.cli.server.refusals import RefusedError, UnreachableError

(PODS,) = targets_of(["pods"], None)


def change(revision, kind="ADDED"):
    return {"type": kind, "object": {"metadata": {"name": f"p{revision}", "resourceVersion": str(revision)}}}


def error(code):
    return {"type": "ERROR", "object": {"kind": "Status", "code": code, "message": "told"}}


class Told:
    """A server that gives these answers to watches, one after another, and remembers from where it was asked."""

    def __init__(self, *answers):
        self._answers = list(answers)
        self.since = []

    def lines(self, path, query, *, place, accept):
        self.since.append(query["resourceVersion"])
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        yield from answer

    def get(self, path, query=None, *, place, accept="application/json"):
        return {"metadata": {"resourceVersion": "90"}, "items": []}


def names(server, count):
    found = changes(server, PODS, {}, "5", "application/json")
    return [each["object"]["metadata"]["name"] for each in islice(found, count)]


def test_a_watch_that_ends_goes_on_where_it_was():
    server = Told([change(6), change(9, "BOOKMARK")], [change(10)])

    assert names(server, 2) == ["p6", "p10"]
    assert server.since == ["5", "9"]


@pytest.mark.parametrize("first", [[error(410)], RefusedError(410, {}, "pods")], ids=["as an event", "as an answer"])
def test_a_history_that_is_too_short_is_told(first, capsys):
    server = Told(first, [change(91)])

    assert names(server, 1) == ["p91"]
    assert server.since == ["5", "90"]
    assert "some changes were missed" in capsys.readouterr().err


def test_other_errors_end_the_watch():
    with pytest.raises(RefusedError, match="told"):
        names(Told([error(403)]), 1)
    with pytest.raises(UnreachableError, match="the server went away; start it"):
        names(Told(UnreachableError("no server answers", place="url", next="start it")), 1)


def test_lists_come_in_pages(command):
    texts = [f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number:04}}}\n" for number in range(501)]
    command.applied(*(f"\n{each}" for each in texts))

    assert command("get", "configmaps", "-o", "name").out.count("\n") == 501
    assert len(command("get", "configmaps").out.splitlines()) == 502

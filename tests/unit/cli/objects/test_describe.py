from unit.cli.serving import HIDDEN, IDLE, SECRET, pod

EVENT = """
apiVersion: v1
kind: Event
metadata: {name: chat.1}
involvedObject: {apiVersion: v1, kind: Pod, name: chat, namespace: default}
type: Warning
reason: FailedScheduling
message: no worker has a free card
count: 3
lastTimestamp: "2026-01-31T12:00:00Z"
"""


def test_an_object_with_its_events(command):
    command.applied(pod().replace(*IDLE), EVENT)

    said = command("describe", "pod", "chat")
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert said.status == 0
    assert {"Name: chat", "Namespace: default", "Kind: Pod (v1)", "Labels: app=chat", "phase: Pending"} <= set(lines)
    assert lines[-1].endswith("(x3) Warning FailedScheduling pod/chat no worker has a free card")


def test_documents(command):
    command.applied(pod().replace(*IDLE), EVENT)

    found = command("describe", "pod/chat", "-o", "json").json
    assert found["object"]["metadata"]["name"] == "chat"
    assert [each["reason"] for each in found["events"]] == ["FailedScheduling"]


def test_several_objects(command):
    command.applied(pod("a"), pod("b"))

    assert command("describe", "pods").out.count("Kind:  ") == 2
    assert command("describe", "pods", "-l", "app=none").err == "there is nothing to describe\n"


def test_secrets_show_their_lengths(command):
    command.applied(SECRET)

    said = command("describe", "secret", "key")
    assert 'password: "7 bytes"' in said.out
    assert HIDDEN not in said.out
    assert HIDDEN not in command("describe", "secret", "key", "-o", "yaml").out


def test_what_is_missing(command):
    said = command("describe", "pod", "nope")

    assert (said.status, said.out) == (1, "")
    assert said.err.startswith("error: pod/nope: ")

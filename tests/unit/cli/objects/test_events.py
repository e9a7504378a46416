import os
import signal
import subprocess
import sys

from unit.cli.serving import IDLE, pod


def event(name, about="chat", kind="Normal", time="2026-01-31T12:00:00Z"):
    return f"""
apiVersion: v1
kind: Event
metadata: {{name: {name}}}
involvedObject: {{apiVersion: v1, kind: Pod, name: {about}, namespace: default}}
type: {kind}
reason: Because
message: said by {name}
lastTimestamp: "{time}"
"""


def test_events_stand_in_the_order_of_their_times(command):
    command.applied(event("late", time="2026-01-31T13:00:00Z"), event("early"))

    lines = command("events").out.splitlines()
    assert lines[0].split() == ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    assert [line.split()[-1] for line in lines[1:]] == ["early", "late"]


def test_events_of_one_object_and_of_some_types(command):
    command.applied(pod().replace(*IDLE), event("a"), event("b", "other"), event("c", kind="Warning"))

    assert command("events", "--for", "pod/chat", "-o", "name").out == "event/a\nevent/c\n"
    assert command("events", "--types", "Warning", "-o", "name").out == "event/c\n"


def test_no_events(command):
    assert command("events").err == "there are no events in namespace default\n"


def test_all_namespaces_have_a_column(command):
    command.applied(event("a"))

    assert command("events", "-A").out.split()[0] == "NAMESPACE"


def test_a_watch_goes_on(command):
    command.applied(event("a"))
    words = [sys.executable, "-m", "bayplan", "events", "-w"]
    watch = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ})
    try:
        assert watch.stdout.readline().startswith("LAST SEEN")
        assert watch.stdout.readline().rstrip().endswith("said by a")
        command.applied(event("b"))
        assert watch.stdout.readline().rstrip().endswith("said by b")
    finally:
        watch.send_signal(signal.SIGINT)
        watch.communicate(timeout=20)

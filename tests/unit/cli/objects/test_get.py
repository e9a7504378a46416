import os
import signal
import subprocess
import sys

import pytest

from bayplan.cli.objects.get import get
from bayplan.control.resources.registry import REGISTRY
from unit.cli.serving import HIDDEN, IDLE, SECRET, pod


def test_a_table_of_a_kind(command):
    command.applied(pod("a"), pod("b"))

    lines = command("get", "pods").out.splitlines()
    assert lines[0].split() == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert [line.split()[0] for line in lines[1:]] == ["a", "b"]
    assert "NODE" in command("get", "po", "-o", "wide").out.splitlines()[0].split()


FORMS = {
    "kind and name": ("pod", "a"),
    "kind with a slash": ("pod/a",),
    "several": ("pods", "a", "b"),
    "several with slashes": ("po/a", "pods/b"),
    "several kinds": ("pods,configmaps",),
    "a category": ("all",),
}


@pytest.mark.parametrize("words", FORMS.values(), ids=FORMS)
def test_objects_are_named_as_for_kubectl(words, command):
    command.applied(pod("a"), pod("b"))

    said = command("get", *words, "-o", "name")

    assert said.status == 0
    assert said.out.startswith("pod/a\n")


def test_all_namespaces(command):
    command.applied("apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n", pod("a"), pod("b", "team"))

    lines = command("get", "pods", "-A").out.splitlines()
    assert [line.split()[:2] for line in lines] == [["NAMESPACE", "NAME"], ["default", "a"], ["team", "b"]]
    command("delete", "pod", "b", "-n", "team")


def test_selectors(command):
    command.applied(pod("a"), pod("b").replace("app: chat", "app: other"))

    assert command("get", "pods", "-l", "app=other", "-o", "name").out == "pod/b\n"
    assert command("get", "pods", "--field-selector", "metadata.name=a", "-o", "name").out == "pod/a\n"


def test_documents(command):
    command.applied(pod("a"))

    one = command("get", "pod", "a", "-o", "json").json
    assert (one["kind"], one["apiVersion"], one["metadata"]["name"]) == ("Pod", "v1", "a")
    assert "managedFields" not in one["metadata"]
    assert "managedFields" in command("get", "pod", "a", "-o", "json", "--show-managed-fields").json["metadata"]
    listed = command("get", "pods", "-o", "yaml").yaml
    assert listed["kind"] == "List"
    assert [(each["kind"], each["metadata"]["name"]) for each in listed["items"]] == [("Pod", "a")]


@pytest.mark.parametrize("words", [("secret", "key"), ("secrets",)])
@pytest.mark.parametrize("form", ["json", "yaml", "table", "wide"])
def test_secrets_are_redacted(words, form, command):
    command.applied(SECRET)

    said = command("get", *words, "-o", form)

    assert said.status == 0
    assert HIDDEN not in said.out
    assert ("<redacted>" in said.out) is (form in ("json", "yaml"))


def test_what_is_missing_is_an_error_beside_what_is_there(command):
    command.applied(pod("a"))

    said = command("get", "pods", "a", "b")
    assert said.status == 1
    assert said.out.splitlines()[1].startswith("a ")
    assert said.err.startswith("error: pod/b: ")
    assert "not found" in said.err


def test_nothing_there_is_no_error(command):
    said = command("get", "pods")

    assert (said.status, said.out, said.err) == (0, "", "there are no pods in namespace default\n")
    assert command("get", "pods", "-o", "json").json["items"] == []


def test_kinds_of_the_same_name_are_told_apart(command):
    said = command("get", "models")

    assert said.status == 1
    assert "mdl" in said.err
    assert "mlm" in said.err
    assert command("get", "mdl").status == 0


def test_a_misspelt_kind(command):
    assert "did you mean" in command("get", "podz").err


def test_the_help_names_every_kind():
    text = get.__doc__

    for kind in REGISTRY.kinds:
        if kind.stored:
            assert kind.plural in text
            assert all(f"({name})" in text for name in kind.short_names[:1])


def test_a_watch_shows_what_is_there_and_every_change(command):
    command.applied(pod("a").replace(*IDLE))
    watch = subprocess.Popen(
        [sys.executable, "-m", "bayplan", "get", "pods", "-w"], stdout=subprocess.PIPE, text=True, env={**os.environ}
    )
    try:
        assert watch.stdout.readline().split()[0] == "NAME"
        assert watch.stdout.readline().split()[0] == "a"
        command.applied(pod("a-longer-name").replace(*IDLE))
        assert watch.stdout.readline().split()[0] == "a-longer-name"
        command("delete", "pod", "a")
        assert watch.stdout.readline().split()[0] == "a"
    finally:
        watch.send_signal(signal.SIGINT)
        watch.communicate(timeout=20)
    assert watch.returncode == 130

import time

import pytest

from unit.cli.serving import pod

WORDS = {
    "kind and name": ("pod", "a"),
    "with a slash": ("pod/a",),
    "by label": ("pods", "-l", "app=chat"),
    "all": ("pods", "--all"),
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_objects_are_deleted(words, command):
    command.applied(pod("a"))

    assert command("delete", *words).out == 'pod "a" deleted\n'
    assert command("get", "pods", "-o", "name").out == ""


def test_objects_of_files_are_deleted(command):
    command.applied(pod("a"), pod("b"))

    said = command("delete", "-f", command.file(f"{pod('a')}---{pod('b')}"))
    assert said.out == 'pod "a" deleted\npod "b" deleted\n'


def test_what_is_missing_is_an_error_and_the_others_are_deleted(command):
    command.applied(pod("b"))

    said = command("delete", "pods", "a", "b")
    assert (said.status, said.out) == (1, 'pod "b" deleted\n')
    assert said.err.startswith("error: pod/a: ")
    assert command("delete", "pods", "a", "--ignore-not-found").status == 0


def test_a_kind_alone_deletes_nothing(command):
    command.applied(pod("a"))

    said = command("delete", "pods")
    assert said.status == 1
    assert "name them, or use -l LABELS or --all" in said.err
    assert command("get", "pods", "-o", "name").out == "pod/a\n"


def test_a_dry_run_deletes_nothing(command):
    command.applied(pod("a"))

    assert command("delete", "pod", "a", "--dry-run").out == 'pod "a" deleted (dry run)\n'
    assert command("get", "pods", "-o", "name").out == "pod/a\n"


def test_waiting_for_finalizers_ends_with_an_error(command):
    held = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, finalizers: [example.com/hold]}\n"
    command.applied(held)

    said = command("delete", "configmap", "c", "--timeout", "0.2")
    assert said.status == 1
    assert "held back by example.com/hold" in said.err
    assert command("delete", "configmap", "c", "--no-wait").status == 0
    command.server.ask(
        "PATCH", "/api/v1/namespaces/default/configmaps/c", {"metadata": {"finalizers": None}},
        media="application/merge-patch+json",
    )  # fmt: skip


def test_what_an_owner_owns_is_kept_or_deleted(command):
    for cascade, left in (("orphan", "configmap/owned\n"), ("foreground", ""), ("background", "")):
        command.applied("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: owner}\n")
        uid = command("get", "configmap", "owner", "-o", "json").json["metadata"]["uid"]
        owner = f"[{{apiVersion: v1, kind: ConfigMap, name: owner, uid: {uid}, blockOwnerDeletion: true}}]"
        command.applied(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: owned, ownerReferences: {owner}}}\n")

        assert command("delete", "configmap", "owner", f"--cascade={cascade}").status == 0
        assert left_over(command, left) == left
        command("delete", "configmap", "owned", "--ignore-not-found")


def left_over(command, wanted):
    """What is left; in the background it is deleted a moment later."""
    for _ in range(100):
        found = command("get", "configmaps", "-o", "name").out
        if found == wanted:
            break
        time.sleep(0.05)
    return found

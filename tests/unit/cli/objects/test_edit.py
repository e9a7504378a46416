import shlex
import sys
from pathlib import Path

import pytest

from unit.cli.serving import HIDDEN, SECRET, pod

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: one, b: two}\n"


@pytest.fixture(autouse=True)
def kept_here(monkeypatch, tmp_path):
    """Texts that are kept after an error go to the folder of the test."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


@pytest.fixture
def editor(monkeypatch, tmp_path):
    """An editor that does one thing each time it is opened: lines of Python that change `text`."""

    def made(*steps):
        script = tmp_path / "editor.py"
        count = tmp_path / "opened"
        seen = tmp_path / "seen"
        count.write_text("0")
        script.write_text(
            "import json, subprocess, sys\nfrom pathlib import Path\n"
            f"count, seen, steps = Path({str(count)!r}), Path({str(seen)!r}), {list(steps)!r}\n"
            "number = int(count.read_text()); count.write_text(str(number + 1))\n"
            "file = Path(sys.argv[1]); text = file.read_text()\n"
            "with seen.open('a') as stream: stream.write(text + '\\n=====\\n')\n"
            "before = text\n"
            "exec(steps[min(number, len(steps) - 1)])\n"
            "if text is not None: file.write_text(text)\n"
        )
        monkeypatch.setenv("EDITOR", shlex.join([sys.executable, str(script)]))
        monkeypatch.delenv("VISUAL", raising=False)
        return seen

    return made


def value(command, key):
    return command("get", "configmap", "c", "-o", "json").json["data"].get(key)


def test_a_change_is_stored(command, editor):
    command.applied(MAP)
    editor("text = text.replace('one', 'changed')")

    assert command("edit", "configmap", "c").out == "configmap/c edited\n"
    assert (value(command, "a"), value(command, "b")) == ("changed", "two")


def test_a_field_that_is_removed_is_gone(command, editor):
    command.applied(MAP)
    editor("text = text.replace('  a: one\\n', '')")

    assert command("edit", "configmap/c").status == 0
    assert value(command, "a") is None


@pytest.mark.parametrize("step", ["text = None", "text = text", "text = ''"])
def test_an_unchanged_or_empty_file_changes_nothing(command, editor, step):
    command.applied(MAP)
    editor(step)

    assert command("edit", "configmap", "c").err == "nothing was changed\n"


def test_a_text_that_cannot_be_read_opens_again_with_the_error_on_top(command, editor):
    command.applied(MAP)
    seen = editor("text = text.replace('one', '[')", "text = text.replace('[', 'better')")

    assert command("edit", "configmap", "c").out == "configmap/c edited\n"
    second = seen.read_text().split("\n=====\n")[1]
    assert second.startswith("# error: edited:")
    assert "a: [" in second
    assert value(command, "a") == "better"


def test_a_refused_object_opens_again_with_every_problem(command, editor):
    command.applied(pod())
    seen = editor(
        "text = text.replace('app: chat', '\"a b\": x\\n    \"c d\": y')",
        "text = text.replace('\"a b\": x', 'a: x').replace('\"c d\": y', 'c: y')",
    )

    assert command("edit", "pod", "chat").out == "pod/chat edited\n"
    second = seen.read_text().split("\n=====\n")[1]
    assert second.count("# error: ") == 2


def test_giving_up_keeps_the_text(command, editor):
    command.applied(MAP)
    editor("text = text.replace('one', '[')", "text = None")

    said = command("edit", "configmap", "c")
    assert said.status == 1
    kept = said.err.rstrip().rpartition("your text is kept in ")[2]
    assert "a: [" in Path(kept).read_text()
    Path(kept).unlink()


def other_change(command, tmp_path):
    """A step of the editor that changes the object behind its back."""
    file = tmp_path / "other.yaml"
    file.write_text(MAP.replace("two", "by another"))
    words = [sys.executable, "-m", "bayplan", "apply", "--force-conflicts", "-f", str(file)]
    return f"subprocess.run({words!r}, check=True, stdout=subprocess.DEVNULL)"


def test_a_conflict_shows_both_changes_and_nothing_is_lost(command, editor, tmp_path):
    command.applied(MAP)
    seen = editor(
        f"{other_change(command, tmp_path)}; text = text.replace('one', 'mine')",
        "text = text",
    )

    assert command("edit", "configmap", "c").out == "configmap/c edited\n"
    second = seen.read_text().split("\n=====\n")[1]
    assert second.startswith("# error: the object was changed meanwhile")
    assert (value(command, "a"), value(command, "b")) == ("mine", "by another")


def test_secrets_stay_hidden_and_keep_what_is_not_touched(command, editor):
    command.applied(SECRET)
    seen = editor("text = text.replace('password:', 'added: bmV3\\n  password:')")

    assert command("edit", "secret", "key").out == "secret/key edited\n"
    assert HIDDEN not in seen.read_text()
    stored = command.server.ask("GET", "/api/v1/namespaces/default/secrets/key").document
    assert stored["data"] == {"added": "bmV3", "password": HIDDEN}


def test_an_editor_that_fails_stores_nothing(command, monkeypatch, tmp_path):
    command.applied(MAP)
    monkeypatch.setenv("EDITOR", "false")
    monkeypatch.delenv("VISUAL", raising=False)

    assert "ended with exit code 1" in command("edit", "configmap", "c").err
    monkeypatch.setenv("EDITOR", "no-such-editor")
    kept = len(list(tmp_path.glob("bayplan-edit-*")))
    assert "set EDITOR" in command("edit", "configmap", "c").err
    assert len(list(tmp_path.glob("bayplan-edit-*"))) == kept

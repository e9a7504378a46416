"""Files of command templates."""

import pytest

from bayplan.framework.errors import InputError
from bayplan.runtimes.processes.backends_file import read_backends

HEAD = "apiVersion: bayplan.io/v1alpha1\nkind: Backends\n"


def written(tmp_path, text):
    file = tmp_path / "backends.yaml"
    file.write_text(HEAD + text)
    return file


def test_a_file_adds_templates_and_takes_the_place_of_ours(tmp_path):
    mine = "mine: {command: [b], images: ['*M*']}"
    text = f"backends:\n  vllm: {{command: [a, '{{port}}', '{{args}}'], healthPath: ''}}\n  {mine}\n"

    backends, warnings = read_backends(written(tmp_path, text))

    assert backends.get("vllm").command == ("a", "{port}", "{args}")
    assert backends.get("vllm").health_path is None
    assert backends.get("mine").health_path == "/health"
    assert backends.of_image("org/m:1").name == "mine"
    assert backends.get("sglang") is not None
    assert warnings == []


REFUSED = {
    "an unknown placeholder": ("backends: {a: {command: ['{modle}']}}", "{modle} is not known; did you mean 'model'?"),
    "args inside a word": ("backends: {a: {command: ['x={args}']}}", "stands for several words"),
    "no command": ("backends: {a: {}}", "command: is missing"),
    "a path that is none": ("backends: {a: {command: [x], healthPath: health}}", "is no path"),
    "not a mapping": ("backends: [a]", "is no mapping"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_problems_are_told_with_their_place(tmp_path, text, message):
    file = written(tmp_path, text)

    with pytest.raises(InputError) as caught:
        read_backends(file)

    assert message in str(caught.value)
    assert str(file) in str(caught.value)


def test_another_kind_is_refused(tmp_path):
    file = tmp_path / "x.yaml"
    file.write_text("apiVersion: v1\nkind: Pod\n")

    with pytest.raises(InputError, match=r"is not bayplan\.io/v1alpha1"):
        read_backends(file)


def test_unknown_fields_are_warned_about(tmp_path):
    _, warnings = read_backends(written(tmp_path, "backends: {a: {command: [x], image: [y]}}"))

    assert "image" in warnings[0]

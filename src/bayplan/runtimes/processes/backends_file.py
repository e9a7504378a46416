"""The file of `bayplan worker --backends`: command templates of the user's own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.manifests.fields import Fields, Findings
from bayplan.manifests.reader import read_file
from bayplan.manifests.values import text
from bayplan.runtimes.processes.backends import ARGS, FILLED, Backend, Backends

if TYPE_CHECKING:
    from pathlib import Path

API_VERSION, KIND = "bayplan.io/v1alpha1", "Backends"
_NAMED = re.compile(r"\{(\w*)\}")


def read_backends(file: Path) -> tuple[Backends, list[str]]:
    """The built-in templates with those of a file, and warnings; every problem of the file is told at once."""
    documents = read_file(file)
    if len(documents) != 1:
        message = f"it holds {len(documents)} documents"
        raise InputError(message, place=str(file), next=f"write one document of kind {KIND}")
    findings = Findings(documents[0])
    fields = Fields(documents[0].data, findings)
    for key, wanted in (("apiVersion", API_VERSION), ("kind", KIND)):
        if (found := fields.need(key, text, wanted)) != wanted:
            fields.add(f"{found[:80]!r} is not {wanted}", key, next=f"write {wanted}")
    given = [_backend(name, part) for name, part in fields.named("backends")]
    fields.finish()
    findings.check()
    return Backends(given), findings.warnings


def _backend(name: str, fields: Fields) -> Backend:
    command = fields.each("command", _template)
    if not command and not fields.broken("command"):
        fields.add("is missing", "command", next=f"write a list, such as [engine, --port, '{{port}}', '{ARGS}']")
    images = fields.each("images", text)
    env = fields.labels("env")
    health = fields.read("healthPath", _path, "/health")
    fields.finish()
    return Backend(name, command, tuple(each.lower() for each in images), env, health or None)


def _template(value: object) -> str:
    """A word of a command; names in braces must be known, so that a misspelt one is not started."""
    word = text(value)
    for found in _NAMED.finditer(word):
        if found[1] not in FILLED and found[0] != ARGS:
            hint = did_you_mean(found[1], (*FILLED, "args"))
            message = f"{found[0]} is not known"
            raise InputError(message, next=hint or f"use one of {', '.join(FILLED)}, args")
    if ARGS in word and word != ARGS:
        raise InputError(f"{ARGS} stands for several words", next="write it as a word of its own")
    return word


def _path(value: object) -> str:
    if value == "":
        return ""
    path = text(value)
    if not path.startswith("/"):
        raise InputError(f"{path[:80]!r} is no path", next="write /health, or '' to ask nothing")
    return path

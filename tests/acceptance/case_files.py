"""Finds and reads case files; what is wrong with a file becomes a case that fails, so that nothing goes missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Document = dict[str, Any]


class CaseError(Exception):
    """The case itself is wrong or asks for something that the runner does not know."""


@dataclass(frozen=True)
class Case:
    """One case; `problem` stands in for a body that could not be read."""

    name: str
    body: Document = field(default_factory=dict)
    clusters: Document = field(default_factory=dict)
    configs: Document = field(default_factory=dict)
    problem: str = ""

    @property
    def says(self) -> str:
        return str(self.body.get("says") or self.body.get("source", "the case does not say what it asks"))


class _Loader(yaml.CSafeLoader):
    """Refuses a key that is given twice: YAML would drop the first, and with it an expectation."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Document:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if len(keys) != len(set(keys)):
            twice = next(key for at, key in enumerate(keys) if key in keys[:at])
            raise CaseError(f"line {node.start_mark.line + 1}: the key {twice!r} is given twice")
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> Any:
    try:
        return yaml.load(path.read_bytes(), _Loader)  # noqa: S506 (a safe loader)
    except (OSError, yaml.YAMLError) as error:
        raise CaseError(" ".join(str(error).split())) from error


def read_folder(folder: Path) -> list[Case]:
    """Every case of every *.yaml file, in the order of names; at least one, if only to fail."""
    paths = sorted(path for path in folder.glob("*") if path.suffix in {".yaml", ".yml"})
    if not paths:
        problem = "no such folder" if not folder.is_dir() else "no *.yaml file in it"
        return [Case("cases::folder", problem=f"{folder}: {problem}; set BAYPLAN_CASES to a folder of case files")]
    return [case for path in paths for case in read_cases(path)]


def read_cases(path: Path) -> list[Case]:
    try:
        return list(_cases(path.stem, read_yaml(path)))
    except CaseError as error:
        return [Case(f"{path.stem}::file", problem=f"{path.name}: {error}")]


def _models(stem: str, document: Document) -> Iterator[Case]:
    """Published models: each is a case of its own, with its checks."""
    known_keys(document, {"format", "needs", "models"}, "the file")
    if not isinstance(document["models"], list) or not document["models"]:
        raise CaseError("`models` must be a list of at least one model")
    yield from _bodies(stem, document["models"], {}, {})


def _cases(stem: str, document: Any) -> Iterator[Case]:
    if not isinstance(document, dict) or document.get("format") != 1:
        raise CaseError("this runner reads documents with `format: 1` alone")
    if "models" in document:
        yield from _models(stem, document)
        return
    known_keys(document, {"format", "clusters", "configs", "cases"}, "the file")
    clusters, configs = document.get("clusters") or {}, document.get("configs") or {}
    bodies = document.get("cases")
    if not isinstance(clusters, dict) or not isinstance(configs, dict):
        raise CaseError("`clusters` and `configs` must be mappings")
    if not isinstance(bodies, list) or not bodies:
        raise CaseError("`cases` must be a list of at least one case")
    yield from _bodies(stem, bodies, clusters, configs)


def _bodies(stem: str, bodies: list[Any], clusters: Document, configs: Document) -> Iterator[Case]:
    seen: set[str] = set()
    for at, body in enumerate(bodies):
        identity = body.get("id") if isinstance(body, dict) else None
        if not isinstance(identity, str) or identity in seen:
            problem = f"cases[{at}]: each case is a mapping with an `id` of its own, not {identity!r}"
            yield Case(f"{stem}::cases[{at}]", problem=problem)
            continue
        seen.add(identity)
        yield Case(f"{stem}::{identity}", body, clusters, configs)


def read_disputed(path: Path) -> dict[str, str]:
    """Test id to reason. A dispute without a reason is no dispute."""
    disputed = read_yaml(path)
    if not isinstance(disputed, dict):
        raise CaseError(f"{path.name}: must be a mapping of FILE::ID to the reason; write {{}} for none")
    bad = [name for name, reason in disputed.items() if not (isinstance(reason, str) and reason.strip())]
    if bad:
        raise CaseError(f"{path.name}: {bad[0]}: says no reason; write why the case is wrong")
    return disputed


def known_keys(document: Document, known: set[str] | dict[str, Any], place: str) -> None:
    unknown = [str(key) for key in document if key not in known]
    if unknown:
        raise CaseError(f"{place}: unknown key {unknown[0]!r}; the runner knows {', '.join(sorted(known))}")

"""The file with which kubectl, other clients and our own commands find the server."""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from pathlib import Path


def write_kubeconfig(file: Path, url: str, *, authority: Path | None = None, token: str = "") -> None:
    """Write it with mode 0600, because it holds a token; by rename, so that it is never read half written."""
    cluster: dict[str, Any] = {"server": url}
    if authority is not None:
        cluster["certificate-authority-data"] = base64.b64encode(authority.read_bytes()).decode()
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "bayplan", "cluster": cluster}],
        "users": [{"name": "bayplan", "user": {"token": token} if token else {}}],
        "contexts": [{"name": "bayplan", "context": {"cluster": "bayplan", "user": "bayplan", "namespace": "default"}}],
        "current-context": "bayplan",
    }
    part = file.with_name(f"{file.name}.part")
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8") as stream:  # noqa: PTH123 (an open descriptor has no path)
        yaml.safe_dump(document, stream, sort_keys=False)
    part.replace(file)


def token_of(file: Path) -> str:
    """The token that a kubeconfig of ours holds; empty where there is none."""
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        return str(document["users"][0]["user"].get("token", ""))
    except (OSError, yaml.YAMLError, KeyError, IndexError, TypeError, AttributeError):
        return ""

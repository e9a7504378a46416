"""Engines that cost next to nothing: nginx for short answers, a program of ours for streams."""

from __future__ import annotations

import shutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bench.gateways.processes import free_port, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENGINES = 3
MODEL = "m"
_ANSWER = (
    '{"id":"x","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant",'
    '"content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}'
)
_METRICS = (
    "vllm:num_requests_waiting 0\\nvllm:num_requests_running 0\\nvllm:kv_cache_usage_perc 0.1\\n"
    'vllm:cache_config_info{block_size=\\"16\\",num_gpu_blocks=\\"10000\\"} 1\\n'
)
_MODELS = '{"object":"list","data":[{"id":"m","object":"model","max_model_len":131072}]}'
_CONFIG = """
daemon off;
worker_processes 1;
error_log stderr crit;
pid {folder}/nginx.pid;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  keepalive_requests 100000000;
  keepalive_timeout 600s;
  client_max_body_size 64m;
  client_body_buffer_size 1m;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  default_type application/json;
{servers}
}}
"""
_SERVER = """  server {{
    listen 127.0.0.1:{port};
    location / {{ return 200 '{answer}'; }}
    location = /metrics {{ default_type text/plain; return 200 "{metrics}"; }}
    location = /health {{ return 200 'ok'; }}
    location = /v1/models {{ return 200 '{models}'; }}
  }}"""


@contextmanager
def plain_engines(folder: Path) -> Iterator[list[int]]:
    """Ports of engines that answer at once."""
    nginx = shutil.which("nginx")
    if nginx is None:
        raise RuntimeError("nginx is missing; install Debian's packages nginx-light and wrk")
    ports = [free_port() for _ in range(ENGINES)]
    servers = "\n".join(_SERVER.format(port=each, answer=_ANSWER, metrics=_METRICS, models=_MODELS) for each in ports)
    config = folder / "nginx.conf"
    config.write_text(_CONFIG.format(folder=folder, servers=servers), encoding="utf-8")
    with running([nginx, "-e", "stderr", "-c", str(config)], ports[-1], folder / "nginx.log"):
        yield ports


@contextmanager
def streaming_engines(folder: Path) -> Iterator[list[int]]:
    """Ports of engines that answer in a chunk every 10 ms."""
    ports = [free_port() for _ in range(ENGINES)]
    command = [sys.executable, "-m", "bench.gateways.streaming", *map(str, ports)]
    with running(command, ports[-1], folder / "streaming.log"):
        yield ports

"""What an inventory costs: 5,000 Kubernetes Nodes of 10 kB as nouns, 20,000 through the command as YAML."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.cli.main import run
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.limits import INVENTORY
from bayplan.manifests.reader import read_text
from bench.measure import Row, cpu_seconds, interleaved

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.measure import Work

ROUNDS = 5
WORKERS = 5_000
GOAL_S = 1.0
PRINTED_WORKERS = 20_000
PRINTED_GOAL_S = 5.0
PRINTED_ROUNDS = 2
NODE = Path(__file__).parents[1] / "tests" / "fixtures" / "inventory" / "kubernetes-nodes.json"


def rows(say: Callable[[str], None]) -> list[Row]:
    """The whole way, beside the guarded reader alone."""
    data = nodes(WORKERS)
    say(f"inventory of {WORKERS:,} workers, {len(data) / 1e6:.0f} MB")
    found = interleaved({"reader": lambda: _reader(data), "nouns": lambda: _nouns(data)}, ROUNDS)
    return [Row(f"inventory/{WORKERS}", found["nouns"], "s", GOAL_S, "<=", baseline=found["reader"]), _printed(say)]


def _printed(say: Callable[[str], None]) -> Row:
    """`bayplan inventory kubernetes -o yaml` on a file, beside the same as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "nodes.json")
        file.write_bytes(nodes(PRINTED_WORKERS))
        say(f"inventory of {PRINTED_WORKERS:,} workers as YAML, {file.stat().st_size / 1e6:.0f} MB")
        found = {
            output: min(cpu_seconds(lambda: _print(file, output)) for _ in range(PRINTED_ROUNDS))  # noqa: B023 (at once)
            for output in ("yaml", "json")
        }
    name = f"inventory/{PRINTED_WORKERS}-yaml"
    return Row(name, found["yaml"], "s", PRINTED_GOAL_S, "<=", baseline=found["json"])


def _print(file: Path, output: str) -> None:
    with file.with_suffix(".out").open("w", encoding="utf-8") as out, contextlib.redirect_stdout(out):
        if run(["inventory", "kubernetes", "-f", str(file), "-o", output]):
            raise AssertionError("the inventory was not printed")


def nodes(count: int) -> bytes:
    """Nodes as an API server lists them, each with its own names, addresses and memory."""
    node: dict[str, Any] = orjson.loads(NODE.read_bytes())["items"][0]
    return orjson.dumps({"apiVersion": "v1", "kind": "List", "items": [_renamed(node, n) for n in range(count)]})


def _renamed(node: dict[str, Any], number: int) -> dict[str, Any]:
    metadata, status = node["metadata"], node["status"]
    name = f"ip-10-{number >> 8}-{number & 255}.us-west-2.compute.internal"
    rack = f"nn-{number // 16:06x}"
    labels = metadata["labels"] | {"kubernetes.io/hostname": name, "topology.k8s.aws/network-node-layer-3": rack}
    allocatable = status["allocatable"] | {"memory": f"{1157921124 - number}Ki"}
    return node | {
        "metadata": metadata | {"name": name, "uid": f"{number:032x}", "labels": labels},
        "status": status | {"allocatable": allocatable},
    }


def _reader(data: bytes) -> Work:
    return lambda: read_text(data, "bench", INVENTORY)


def _nouns(data: bytes) -> Work:
    return lambda: read_inventory(read_text(data, "bench", INVENTORY))

"""Objects of an inventory that say only what a test is about, and what is read from them."""

import json
from dataclasses import replace
from pathlib import Path

from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.limits import INVENTORY
from bayplan.manifests.reader import read_file, read_text

FIXTURES = Path(__file__).parents[3] / "fixtures" / "inventory"
READY = [{"type": "Ready", "status": "True"}]


def node(name="n", *, labels=None, annotations=None, conditions=READY, spec=None, **offered):
    """A ready Node; resources by name, `gpu` for `nvidia.com/gpu`."""
    resources = {"nvidia.com/gpu" if key == "gpu" else key: value for key, value in offered.items()}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels or {}, "annotations": annotations or {}},
        "spec": spec or {},
        "status": {"allocatable": resources, "conditions": conditions},
    }


def pod(name="p", *, on="n", phase="Running", namespace=None, labels=None, annotations=None, **requests):
    resources = {"nvidia.com/gpu" if key == "gpu" else key: value for key, value in requests.items()}
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": labels or {}, "annotations": annotations or {}},
        "spec": {"nodeName": on, "containers": [{"name": "c", "resources": {"requests": resources}}]},
        "status": {"phase": phase},
    }


def read(*objects):
    """What these objects say, read from a text of theirs.

    Without the one warning about unknown cards: hardly any node of a test says what its cards are.
    """
    found = read_all(*objects)
    return replace(found, warnings=tuple(each for each in found.warnings if " is unknown, so requests" not in each))


def read_all(*objects):
    """The same with every warning."""
    return read_inventory(read_text(json.dumps(list(objects), indent=1), "cluster.json", INVENTORY))


def read_one(*objects):
    """The only worker of these objects."""
    (worker,) = read(*objects).cluster.workers
    return worker


def read_fixtures(*names):
    return read_inventory(document for name in names for document in read_file(FIXTURES / name, INVENTORY))

"""Files and answers for tests of the commands that plan."""

from __future__ import annotations

import json
import resource
from contextlib import contextmanager
from copy import deepcopy

from bayplan.cli.main import run

CLUSTER = {
    "kind": "Cluster",
    "workers": [
        {"name": "big", "cpu": 64, "ram": "512Gi", "gpus": {"count": 4, "model": "A100-SXM4-80GB", "memory": "80Gi"},
         "links": "nvswitch", "usdPerHour": 12.5},
        {"name": "small", "cpu": 16, "ram": "64Gi", "gpus": {"count": 1, "model": "RTX-4090", "memory": "24Gi"}},
    ],
    "bookings": [{"workload": "old", "replica": 0, "worker": "big", "gpus": [{"index": 0, "memory": "60Gi"}]}],
}  # fmt: skip


def cluster(**changed):
    return {**deepcopy(CLUSTER), **changed}


def job(name="job", count=1, *, replicas=1, gpus=(), **spec):
    """A workload that wants whole cards."""
    return {"metadata": {"name": name}, "spec": {"replicas": replicas, "gpus": {"count": count, **dict(gpus)}, **spec}}


def share(name="share", memory="10Gi", **spec):
    """A workload that wants a part of a card."""
    return {"metadata": {"name": name}, "spec": {"gpus": {"memory": memory}, **spec}}


@contextmanager
def no_room():
    """No file can be written meanwhile, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class Folder:
    """A folder of documents, and the commands that are called on them."""

    def __init__(self, path, capsys):
        self.path, self.capsys = path, capsys

    def write(self, name, *documents):
        file = self.path / name
        file.write_text("\n---\n".join(json.dumps(each) for each in documents))
        return str(file)

    def words(self, command, *workloads, on=None, flags=()):
        """A command line; its files are there."""
        files = [word for number, each in enumerate(workloads) for word in ("-f", self.write(f"{number}.json", each))]
        return [command, *files, "--cluster", self.write("cluster.json", on or CLUSTER), *flags]

    def call(self, *arguments, **others):
        """Exit code, stdout, stderr."""
        return (run(self.words(*arguments, **others)), *self.capsys.readouterr())

    def document(self, *arguments, flags=(), **others):
        """Exit code and the document on stdout."""
        code, out, _ = self.call(*arguments, flags=("-o", "json", *flags), **others)
        return code, json.loads(out)

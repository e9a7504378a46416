"""The patches are compared with kubectl's own, `kubectl patch --local`, which needs no server."""

from __future__ import annotations

import json
import random
import shutil
import subprocess

import pytest

from bayplan.api.patches.json_patch import json_patch
from bayplan.api.patches.json_values import without_nulls
from bayplan.api.patches.merge_patch import merge_patch
from bayplan.api.patches.strategic_merge import strategic_merge
from bayplan.api.status import Refusal
from kube_rules import POD
from unit.api.patches.test_strategic_merge import CASES, REFUSED

KUBECTL = shutil.which("kubectl")
pytestmark = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not on the PATH")

UNREADABLE = {"a scalar is deleted by a directive", "another type replaces"}  # kubectl reads no labels of these types
REFUSED_BY_KUBECTL = {"a given order of an empty list"}  # here it is a patch that changes nothing
STRATEGIC = {name: case[:2] for name, case in CASES.items() if name not in UNREADABLE | REFUSED_BY_KUBECTL}

POD_DOCUMENT = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "labels": {"a": "1"}, "finalizers": ["f", "g"]},
    "spec": {"priority": 1, "containers": [{"name": "a", "args": ["x", "y"]}, {"name": "b", "image": "1"}]},
}
JSON = {
    "add": [{"op": "add", "path": "/spec/containers/1", "value": {"name": "c"}}],
    "append": [{"op": "add", "path": "/spec/containers/0/args/-", "value": "z"}],
    "remove": [{"op": "remove", "path": "/spec/containers/0"}],
    "replace": [{"op": "replace", "path": "/spec/containers/1/image", "value": "2"}],
    "replace what is missing": [{"op": "replace", "path": "/spec/hostname", "value": "h"}],
    "move": [{"op": "move", "from": "/spec/containers/0", "path": "/spec/containers/1"}],
    "copy": [{"op": "copy", "from": "/metadata/labels", "path": "/metadata/annotations"}],
    "test": [{"op": "test", "path": "/spec/priority", "value": 1}, {"op": "remove", "path": "/spec/priority"}],
    "test for what is missing": [{"op": "test", "path": "/spec/hostname", "value": None}],
    "test fails": [{"op": "test", "path": "/spec/priority", "value": 2}],
    "remove what is missing": [{"op": "remove", "path": "/spec/hostname"}],
    "no parent": [{"op": "add", "path": "/metadata/annotations/x", "value": "y"}],
    "index beyond": [{"op": "add", "path": "/spec/containers/3", "value": {"name": "c"}}],
}
MERGE = {
    "map": {"metadata": {"labels": {"a": None, "b": "2"}}},
    "list": {"spec": {"containers": [{"name": "b"}]}},
    "delete": {"spec": {"priority": None}, "metadata": {"labels": None}},
}


def local(document, patch, kind, folder):
    """The object as kubectl patches it; None where kubectl refuses."""
    (folder / "object.json").write_text(json.dumps({"apiVersion": "v1", "kind": "Pod"} | document))
    command = [KUBECTL, "patch", "--local", "-o", "json", "--type", kind, "-p", json.dumps(patch), "-f", "object.json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env={"HOME": str(folder)})
    return json.loads(done.stdout) if done.returncode == 0 else None


def ours(function, document, *arguments):
    try:
        return function({"apiVersion": "v1", "kind": "Pod"} | document, *arguments)
    except Refusal:
        return None


def plain(value):
    """Without nulls, empty maps and lists, and the directives that kubectl leaves in items that are new."""
    if isinstance(value, dict):
        found = {name: plain(each) for name, each in without_nulls(value).items() if not name.startswith("$")}
        return {name: each for name, each in found.items() if each not in ({}, [])}
    return [plain(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("document", "patch"), STRATEGIC.values(), ids=STRATEGIC)
def test_strategic_merge_patches(document, patch, tmp_path):
    if "$patch" in patch:
        patch = {"apiVersion": "v1", "kind": "Pod"} | patch

    assert plain(ours(strategic_merge, document, patch, POD)) == plain(local(document, patch, "strategic", tmp_path))


@pytest.mark.parametrize(("document", "patch"), [each[:2] for each in REFUSED.values()], ids=REFUSED)
def test_what_kubectl_refuses_is_refused(document, patch, tmp_path):
    assert local(document, patch, "strategic", tmp_path) is None


@pytest.mark.parametrize("patch", JSON.values(), ids=JSON)
def test_json_patches(patch, tmp_path):
    assert plain(ours(json_patch, POD_DOCUMENT, patch)) == plain(local(POD_DOCUMENT, patch, "json", tmp_path))


@pytest.mark.parametrize("patch", MERGE.values(), ids=MERGE)
def test_merge_patches(patch, tmp_path):
    assert plain(ours(merge_patch, POD_DOCUMENT, patch)) == plain(local(POD_DOCUMENT, patch, "merge", tmp_path))


def some_pod(chance, *, patch=False):
    """A Pod, or a patch of one with nulls and directives."""

    def some(items):
        return chance.sample(items, chance.randrange(len(items) + 1))

    def container(name):
        fields = {
            "image": chance.choice("12"),
            "args": some(["x", "y"]),
            "env": [{"name": each, "value": chance.choice("12")} for each in some(["A", "B", "C"])],
            "ports": [{"containerPort": each, "name": chance.choice("pq")} for each in some([80, 81, 82])],
        }
        kept = {name: fields[name] for name in some(list(fields))}
        if patch and chance.random() < 0.3:
            kept |= chance.choice([{"image": None}, {"env": None}, {"$retainKeys": ["name", *kept]}])
        return {"name": name} | kept

    containers = [container(name) for name in some(["m", "n", "o", "p"])]
    metadata = {"name": "p", "labels": {each: chance.choice("12") for each in some(["a", "b"])}}
    metadata["finalizers"] = some(["f", "g", "h"])
    if patch and chance.random() < 0.3:
        containers.append({"name": chance.choice("mno"), "$patch": "delete"})
    if patch and chance.random() < 0.3:
        metadata["labels"] = chance.choice([None, {"a": None}, {"a": "3", "$patch": "replace"}])
    return {"metadata": metadata, "spec": {"containers": containers}}


@pytest.mark.parametrize("seed", range(20))
def test_made_up_strategic_merge_patches(seed, tmp_path):
    chance = random.Random(seed)  # noqa: S311 (made-up test cases)
    document, patch = some_pod(chance), some_pod(chance, patch=True)

    assert plain(ours(strategic_merge, document, patch, POD)) == plain(local(document, patch, "strategic", tmp_path))

"""Commands, environments and ports of containers."""

import json
from pathlib import Path

import pytest

from bayplan.manifests.marks import BACKEND, DEVICES, ENGINE_ARGS, MODEL
from bayplan.runtimes.processes.backends import Backend, Backends
from bayplan.runtimes.processes.launch import LaunchError, Machine, launch_of

PORT = 5001


def launched(tmp_path: Path, container, annotations=None, backends=(), given=None):
    pod = {"metadata": {"name": "p", "namespace": "ns", "uid": "u", "annotations": annotations or {}}, "spec": {}}
    machine = Machine("w", "127.0.0.1", Backends(backends), lambda: PORT)
    return launch_of(pod, {"name": "c", "image": "i", **container}, machine, tmp_path / "work", given or {})


COMMANDS = {
    "a command with its args": ({"command": ["a", "b"], "args": ["c"]}, {}, ["a", "b", "c"]),
    "flags of the plan come last": (
        {"command": ["vllm", "serve", "m"]}, {ENGINE_ARGS: '["--x=1"]'}, ["vllm", "serve", "m", "--x=1"],
    ),
    "vllm by its annotation": (
        {"args": ["--y"]}, {BACKEND: "vllm", MODEL: "org/m", ENGINE_ARGS: '["--tensor-parallel-size=2"]'},
        ["vllm", "serve", "org/m", "--host", "127.0.0.1", "--port", "5001", "--y", "--tensor-parallel-size=2"],
    ),
    "vllm by its image, the model first": (
        {"image": "vllm/vllm-openai:v0.9", "args": ["org/m", "--y"]}, {},
        ["vllm", "serve", "org/m", "--host", "127.0.0.1", "--port", "5001", "--y"],
    ),
    "the port and the model of the args are set by the worker": (
        {"image": "vllm/vllm-openai", "args": ["--model", "org/m", "--port=8000", "--host", "::", "--y"]}, {},
        ["vllm", "serve", "org/m", "--host", "127.0.0.1", "--port", "5001", "--y"],
    ),
    "sglang": (
        {}, {BACKEND: "sglang", MODEL: "m"},
        ["python3", "-m", "sglang.launch_server", "--model-path", "m", "--host", "127.0.0.1", "--port", "5001"],
    ),
    "llama.cpp": (
        {"image": "ghcr.io/ggml-org/llama.cpp:server", "args": ["-m", "/models/x.gguf"]}, {},
        ["llama-server", "--model", "/models/x.gguf", "--host", "127.0.0.1", "--port", "5001"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("container", "annotations", "argv"), COMMANDS.values(), ids=COMMANDS)
def test_commands(tmp_path, container, annotations, argv):
    assert list(launched(tmp_path, container, annotations).argv) == argv


def test_templates_of_a_user_are_filled_in(tmp_path):
    words = ("engine", "{name}@{tp}x{pp}/{fraction}", "{devices}", "{pod}.{namespace}", "{args}")
    annotations = {
        BACKEND: "mine",
        MODEL: "m",
        ENGINE_ARGS: '["--tp-size=2", "--pp-size", "3", "--mem-fraction-static=0.5"]',
        DEVICES: '[{"runtime": "cuda", "index": 0}, {"runtime": "cuda", "index": 3}]',
    }

    launch = launched(tmp_path, {}, annotations, [Backend("mine", words, env={"A": "1"}, health_path="/up")])

    assert launch.argv[:4] == ("engine", "m@2x3/0.5", "0,3", "p.ns")
    assert launch.argv[4:] == ("--tp-size=2", "--pp-size", "3", "--mem-fraction-static=0.5")
    assert launch.env["A"] == "1"
    assert launch.health_path == "/up"


def test_a_server_of_many_models_gets_a_folder_and_ports_that_the_pod_cannot_change(tmp_path, monkeypatch):
    program = tmp_path / "mlserver"
    program.write_text("")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("BAYPLAN_MLSERVER", str(program))
    env = [{"name": "MLSERVER_HTTP_PORT", "value": "9000"}, {"name": "MLSERVER_PARALLEL_WORKERS", "value": "2"}]

    launch = launched(tmp_path, {"env": env}, {BACKEND: "mlserver"})

    assert launch.argv == (str(program), "start", str(tmp_path / "work" / "models"))
    assert launch.repository is not None
    assert launch.repository.is_dir()
    assert launch.env["MLSERVER_HTTP_PORT"] == launch.env["MLSERVER_GRPC_PORT"] == str(PORT) == str(launch.grpc_port)
    assert launch.env["MLSERVER_PARALLEL_WORKERS"] == "2"


def test_a_machine_without_mlserver_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("BAYPLAN_MLSERVER", raising=False)

    with pytest.raises(LaunchError, match="MLServer is not installed on this machine; run `make mlserver`"):
        launched(tmp_path, {}, {BACKEND: "mlserver"})


def test_a_users_template_for_an_image_comes_before_ours(tmp_path):
    mine = Backend("mine", ("mine",), images=("*vllm*",))

    assert launched(tmp_path, {"image": "vllm/vllm-openai"}, {}, [mine]).argv == ("mine",)


REFUSED = {
    "nothing says what to run": ({}, {}, "does not say what to run here"),
    "a custom backend without a command": ({}, {BACKEND: "custom"}, "does not say what to run here"),
    "an unknown backend": ({}, {BACKEND: "sgl"}, "has no backend 'sgl'; did you mean 'sglang'?"),
    "no model": ({}, {BACKEND: "vllm"}, "needs a model"),
    "devices that are no list": ({"command": ["a"]}, {DEVICES: "{"}, "it is no JSON list of cards"),
    "flags that are no list": ({"command": ["a"]}, {ENGINE_ARGS: "[1]"}, "it is no JSON list of texts"),
    "a field that is not there": (
        {"command": ["a"], "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.x"}}}]}, {},
        "env[0] of container c: the Pod has no field 'spec.x'",
    ),
    "an unknown source": (
        {"command": ["a"], "env": [{"name": "A", "valueFrom": {"resourceFieldRef": {}}}]}, {}, "a worker does not know",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("container", "annotations", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_started(tmp_path, container, annotations, message):
    with pytest.raises(LaunchError, match=r".") as caught:
        launched(tmp_path, container, annotations)

    assert message in caught.value.message
    assert caught.value.reason == "CreateContainerConfigError"


CARDS = {
    "none": ([], {"CUDA_VISIBLE_DEVICES": ""}),
    "by index": ([{"runtime": "cuda", "index": 2}], {"CUDA_VISIBLE_DEVICES": "2"}),
    "by uuid": ([{"runtime": "cuda", "index": 2, "uuid": "GPU-ab"}], {"CUDA_VISIBLE_DEVICES": "GPU-ab"}),
    "a MIG instance": ([{"runtime": "cuda", "index": 0, "uuid": "MIG-ab"}], {"CUDA_VISIBLE_DEVICES": "MIG-ab"}),
    "a made-up uuid": ([{"runtime": "cuda", "index": 2, "uuid": "card-2"}], {"CUDA_VISIBLE_DEVICES": "2"}),
    "amd": ([{"runtime": "rocm", "index": 1}], {"HIP_VISIBLE_DEVICES": "1", "CUDA_VISIBLE_DEVICES": ""}),
    "ascend": ([{"runtime": "cann", "index": 1}], {"ASCEND_RT_VISIBLE_DEVICES": "1"}),
}


@pytest.mark.parametrize(("devices", "variables"), CARDS.values(), ids=CARDS)
def test_only_the_cards_of_the_pod_are_seen(tmp_path, devices, variables):
    env = launched(tmp_path, {"command": ["a"]}, {DEVICES: json.dumps(devices)}).env

    assert {key: env.get(key) for key in variables} == variables


def test_the_worker_keeps_its_own_secrets(tmp_path, monkeypatch):
    monkeypatch.setenv("BAYPLAN_TOKEN", "hidden")
    monkeypatch.setenv("HF_HOME", "/models")

    env = launched(tmp_path, {"command": ["a"]}).env

    assert "BAYPLAN_TOKEN" not in env
    assert env["HF_HOME"] == "/models"
    assert (env["BAYPLAN_POD"], env["BAYPLAN_NAMESPACE"], env["BAYPLAN_WORKER"]) == ("p", "ns", "w")


def test_variables(tmp_path):
    given = [
        {"name": "PLAIN", "value": "x"},
        {"name": "NAMED", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "ADDRESS", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        {"name": "NOTE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['a/b']"}}},
        {"name": "SECRET", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        {"name": "JOINED", "value": "$(PLAIN)-$(NAMED)-$$(PLAIN)-$(NOTHING)"},
    ]

    env = launched(tmp_path, {"command": ["a"], "env": given}, {"a/b": "note"}, given={"SECRET": "s3"}).env

    assert [env[each["name"]] for each in given] == ["x", "p", "127.0.0.1", "note", "s3", "x-p-$(PLAIN)-$(NOTHING)"]


def test_words_of_a_command_may_name_variables(tmp_path):
    container = {"command": ["a", "$(B)", "--port=$(BAYPLAN_PORT)"], "env": [{"name": "B", "value": "c"}]}

    launch = launched(tmp_path, container)

    assert launch.argv == ("a", "c", "--port=5001")
    assert launch.port == PORT


PORTS = {
    "an engine gets a free port": (
        {"ports": [{"containerPort": 8000}]},
        {BACKEND: "vllm", MODEL: "m"},
        PORT,
        {8000: PORT},
    ),
    "a command listens where it always does": ({"command": ["a"], "ports": [{"containerPort": 80}]}, {}, 80, {80: 80}),
    "nothing listens": ({"command": ["a"]}, {}, None, {}),
}


@pytest.mark.parametrize(("container", "annotations", "port", "ports"), PORTS.values(), ids=PORTS)
def test_ports(tmp_path, container, annotations, port, ports):
    launch = launched(tmp_path, container, annotations)

    assert (launch.port, launch.ports) == (port, ports)


def test_the_folder_of_a_container_is_used_where_this_machine_has_it(tmp_path):
    assert launched(tmp_path, {"command": ["a"], "workingDir": str(tmp_path)}).cwd == tmp_path
    assert launched(tmp_path, {"command": ["a"], "workingDir": "/no/such"}).cwd == tmp_path / "work"

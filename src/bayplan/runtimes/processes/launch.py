"""How a container of a Pod is started on this machine: its command, environment, folder and port."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.manifests.marks import BACKEND, ENGINE_ARGS, MODEL
from bayplan.runtimes.processes.backends import ARGS, CUSTOM
from bayplan.runtimes.processes.devices import devices_of, visible
from bayplan.runtimes.processes.engine_flags import EngineFlags, read_flags
from bayplan.runtimes.processes.environment import container_environment, expanded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bayplan.control.store import Object
    from bayplan.runtimes.processes.backends import Backend, Backends
    from bayplan.runtimes.processes.mig_devices import MigDevices

PORT = "BAYPLAN_PORT"
"""The variable with the port on which a replica is to listen."""
_PRIVATE = "BAYPLAN_"  # variables of the worker itself, among them its token
_FILLED = re.compile(r"\{(\w+)\}")


class LaunchError(Exception):
    """A container cannot be started as it is written; `reason` is the word that kubectl shows."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason, self.message = reason, message


@dataclass(frozen=True, slots=True)
class Machine:
    """What launches need to know of this worker; `free_port` gives a port that no replica has."""

    name: str
    address: str
    backends: Backends
    free_port: Callable[[], int]
    mig: MigDevices | None = None
    """None where its cards are only pretended."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A command that is ready to start; `ports` maps the ports that the Pod names to those of this machine."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    port: int | None = None
    ports: Mapping[int, int] = field(default_factory=dict)
    health_path: str | None = None
    grpc_port: int | None = None
    repository: Path | None = None
    """The folder of models of a server that holds many; None for other replicas."""


def launch_of(pod: Object, container: Object, machine: Machine, scratch: Path, given: Mapping[str, str]) -> Launch:
    """The launch of one container; `given` are values of ConfigMaps and Secrets that it names."""
    backend = _backend(pod, container, machine.backends)
    env = _environment(pod, container, machine, given)
    declared = [each["containerPort"] for each in container.get("ports") or () if "containerPort" in each]
    words = (*(container.get("command") or ()), *(container.get("args") or ()))
    port = machine.free_port() if backend is not None or _names_port(words) else None
    if port is not None:
        env[PORT] = str(port)
    env = expanded(env, env)
    extra = _extra(backend, machine, scratch)
    argv = _argv(pod, container, backend, machine, env, extra | {"port": str(port)})
    if backend is not None:
        values = extra | {"host": machine.address, "port": str(port)}
        env = dict(backend.env) | env | {key: _filled(word, values) for key, word in backend.settled_env.items()}
    ports = {each: each for each in declared} | ({declared[0]: port} if port is not None and declared else {})
    return Launch(
        argv,
        env,
        _folder(container, scratch),
        port if port is not None else declared[0] if declared else None,
        ports,
        backend.health_path if backend is not None else None,
        int(extra["grpc"]) if "grpc" in extra else None,
        Path(extra["repository"]) if "repository" in extra else None,
    )


def _extra(backend: Backend | None, machine: Machine, scratch: Path) -> dict[str, str]:
    """What servers of many models need: their folder, which is made, and ports beside the first one."""
    if backend is None:
        return {}
    words = " ".join((*backend.command, *backend.settled_env.values()))
    found = {key: str(machine.free_port()) for key in ("grpc", "metrics") if f"{{{key}}}" in words}
    if "{repository}" in words:
        folder = scratch / "models"
        folder.mkdir(parents=True, exist_ok=True)
        found["repository"] = str(folder)
    return found


def _backend(pod: Object, container: Object, backends: Backends) -> Backend | None:
    """The template of a container; None where it brings a command of its own."""
    if container.get("command"):
        return None
    name = (pod["metadata"].get("annotations") or {}).get(BACKEND, "")
    image = str(container.get("image") or "")
    found = backends.get(name) if name else backends.of_image(image)
    if found is not None:
        return found
    if name and name != CUSTOM:
        hint = did_you_mean(name, backends.names)
        message = f"this worker has no backend {name!r}; {hint} Or add it to the file of --backends"
        raise LaunchError("CreateContainerConfigError", message)
    message = (
        f"image {image!r} does not say what to run here: this worker starts processes, not images; "
        f"write a command, or the annotation {BACKEND} ({', '.join(backends.names)})"
    )
    raise LaunchError("CreateContainerConfigError", message)


def _environment(pod: Object, container: Object, machine: Machine, given: Mapping[str, str]) -> dict[str, str]:
    """What the worker itself has, what the replica must know, and last what the Pod says."""
    metadata = pod["metadata"]
    try:
        devices = devices_of(metadata.get("annotations") or {})
        cut = [each for each in devices if each.get("mig")]
        shown = visible(devices, machine.mig.of(metadata["uid"], cut) if machine.mig is not None and cut else None)
    except InputError as error:
        raise LaunchError("CreateContainerConfigError", str(error)) from None
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(_PRIVATE)}
    own = {
        "HOSTNAME": metadata["name"],
        "BAYPLAN_POD": metadata["name"],
        "BAYPLAN_NAMESPACE": metadata["namespace"],
        "BAYPLAN_WORKER": machine.name,
        **shown,
    }
    if model := _annotated_model(pod):
        own["BAYPLAN_MODEL"] = model
    try:
        return inherited | own | container_environment(pod, container, machine.address, given)
    except InputError as error:
        raise LaunchError("CreateContainerConfigError", str(error)) from None


def _argv(
    pod: Object,
    container: Object,
    backend: Backend | None,
    machine: Machine,
    env: Mapping[str, str],
    given: Mapping[str, str],
) -> tuple[str, ...]:
    args = [_text(each, env) for each in container.get("args") or ()]
    told = _engine_args(pod)
    if backend is None:
        return (*(_text(each, env) for each in container["command"]), *args, *told)
    flags = read_flags(args)
    model = _annotated_model(pod) or flags.model
    if not model and any("{model}" in word for word in backend.command):
        message = f"backend {backend.name} needs a model; write the annotation {MODEL}, or --model among the args"
        raise LaunchError("CreateContainerConfigError", message)
    every = EngineFlags((*flags.args, *told), model)
    values = every.values() | {"model": model, "host": machine.address, **given}
    values |= {"devices": next((env[key] for key in env if key.endswith("_VISIBLE_DEVICES") and env[key]), "")}
    values |= {"pod": pod["metadata"]["name"], "namespace": pod["metadata"]["namespace"]}
    values["name"] = values["name"] or model
    words: list[str] = []
    for word in (_program(backend), *backend.command[1:]):
        words += every.args if word == ARGS else [_filled(word, values)]
    return tuple(words)


def _program(backend: Backend) -> str:
    """The first word of the command, or where else the program was found."""
    first = backend.command[0]
    if backend.find is None or shutil.which(first) is not None:
        return first
    try:
        return str(backend.find())
    except InputError as error:
        raise LaunchError("CreateContainerError", str(error)) from None


def _filled(word: str, values: Mapping[str, str]) -> str:
    return _FILLED.sub(lambda found: values.get(found[1], found[0]), word)


def _text(word: object, env: Mapping[str, str]) -> str:
    return expanded({"": str(word)}, env)[""]


def _annotated_model(pod: Object) -> str:
    return str((pod["metadata"].get("annotations") or {}).get(MODEL, ""))


def _engine_args(pod: Object) -> list[str]:
    text = (pod["metadata"].get("annotations") or {}).get(ENGINE_ARGS)
    if not text:
        return []
    try:
        listed: Any = orjson.loads(text)
    except orjson.JSONDecodeError:
        listed = None
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        message = f"metadata.annotations[{ENGINE_ARGS}]: it is no JSON list of texts; let the scheduler bind the Pod"
        raise LaunchError("CreateContainerConfigError", message)
    return listed


def _names_port(words: tuple[object, ...]) -> bool:
    """Whether a command asks for the port that the worker chooses; another one listens where it always does."""
    return any(f"$({PORT})" in str(word) or f"${PORT}" in str(word) or f"${{{PORT}}}" in str(word) for word in words)


def _folder(container: Object, scratch: Path) -> Path:
    """The folder of the container where this machine has it, else one of the Pod's own."""
    wanted = container.get("workingDir")
    if wanted and os.path.isdir(wanted):  # noqa: PTH112 (a text of a Pod, not a path of ours)
        return scratch.__class__(wanted)
    scratch.mkdir(parents=True, exist_ok=True)
    return scratch

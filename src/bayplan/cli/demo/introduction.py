"""What `bayplan up` does once it serves: applies what its flags name, shows the demo, then says that it is ready."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.cli.demo.installation import (
    applied,
    apply_whole,
    demo_objects,
    found,
    install,
    install_namespace,
    is_installed,
)
from bayplan.cli.demo.local_process import LocalProcessError
from bayplan.cli.demo.local_relay import WORKLOAD, LocalRelay
from bayplan.cli.demo.local_worker import NAME, LocalWorker, LocalWorkerError
from bayplan.cli.demo.model_files import prepare_models
from bayplan.cli.demo.overview import Overview, is_ready, overview, owner_of, state_of
from bayplan.cli.demo.progress import progress
from bayplan.cli.demo.sample_traffic import SampleTraffic
from bayplan.cli.errors import report, warn
from bayplan.cli.output import Part, Title, Verbatim, emit
from bayplan.cli.own_command import folder_flag, own_command
from bayplan.cli.server.connection import Connection
from bayplan.cli.server.data_folder import KUBECONFIG
from bayplan.cli.server.location import read_kubeconfig
from bayplan.framework.errors import BayplanError
from bayplan.sim.demo.contents import NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from bayplan.cli.demo.progress import Progress
    from bayplan.cli.objects.manifests import Manifest

PATIENCE_S = 45.0
"""How long the demo is waited for; after that it is shown as it is."""
_PAUSE_S = 0.25
_JOIN_S = 2.0  # a request that is under way when the server stops ends soon
_RELAY_S = 15.0
_EXPLAINED = "next-training"  # the example that waits


class _StoppedError(Exception):
    """The server is being stopped."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the flags of `bayplan up` ask for: Clusters to apply, and the demo."""

    clusters: list[Manifest] = field(default_factory=list)
    demo: bool = False


class Introduction:
    """Runs in a thread of its own, as a client of the server. `end` may come at every moment."""

    def __init__(self, folder: Path, wishes: Wishes, announce: Callable[[], None]) -> None:
        self._folder, self._wishes, self._announce = folder, wishes, announce
        self._worker = LocalWorker(folder) if wishes.demo else None
        self._relay = LocalRelay(folder) if wishes.demo else None
        self._url: str | None = None
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, name="introduction", daemon=True)

    def begin(self) -> None:
        """Do it in the background; where there is nothing to do, it is ready at once."""
        if self._wishes.clusters or self._wishes.demo:
            self._thread.start()
        else:
            self._announce()

    def end(self) -> None:
        """Stop, and end the relay and the worker of the demo while the server still hears them."""
        self._ends.set()
        if self._thread.is_alive():
            self._thread.join(_JOIN_S)
        asked = [(each, each.terminate()) for each in (self._relay, self._worker) if each is not None]
        for each, pid in asked:
            if pid is not None:
                each.await_end(pid)

    def _run(self) -> None:
        try:
            with Connection(read_kubeconfig(self._folder / KUBECONFIG), tell=lambda _: None) as connection:
                self._set_up(connection)
        except _StoppedError:
            return
        except BayplanError as error:
            if self._ends.is_set():
                return
            report(error)
        self._announce()

    def _set_up(self, connection: Connection) -> None:
        with progress() as shown:
            for each in self._wishes.clusters:
                self._go_on()
                apply_whole(connection, each)
                self._await_nodes(connection, each)
            if self._wishes.demo:
                self._install(connection, shown)
                self._await(connection, shown)
        if self._wishes.demo:
            self._go_on()
            now = overview(connection, NAMESPACE)
            emit(None, "table", *now.parts(), *self._sent(now), *self._told(now))

    def _await_nodes(self, connection: Connection, cluster: Manifest) -> None:
        """Until the workers of a Cluster are Nodes; what is in the way is told."""
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            self._go_on()
            document = found(connection, cluster) or {}
            told = applied(document)
            if told is not None:
                if told["status"] != "True":
                    warn(f"{cluster.target.place}: {told.get('message', '')}")
                return
            self._ends.wait(_PAUSE_S)

    def _install(self, connection: Connection, shown: Progress) -> None:
        for each in (self._worker, self._relay):
            if each is not None:
                self._go_on()
                try:
                    each.start()
                except LocalProcessError as error:
                    report(error)
        if is_installed(connection):
            return
        objects = demo_objects(prepare_models(self._folder / "demo-models"))
        install_namespace(connection, complete=False)
        shown.stage("applying examples of every dialect", len(objects))

        def done(number: int) -> None:
            self._go_on()
            shown.done(number)

        install(connection, objects, done)
        install_namespace(connection, complete=True)

    def _await(self, connection: Connection, shown: Progress) -> None:
        """Until everything runs or says why it does not."""
        end_s = time.monotonic() + PATIENCE_S
        shown.stage("placing and starting replicas", len(overview(connection, NAMESPACE).pods))
        calm = 0
        while time.monotonic() < end_s and calm < 2:  # twice, because a refused Pod may be tried again
            self._go_on()
            now = overview(connection, NAMESPACE)
            here = is_ready(now.nodes.get(NAME, {})) or not self._worker_runs()
            done = now.pods and now.settled >= len(now.pods) and not now.undecided
            calm = calm + 1 if here and done else 0
            shown.done(min(now.settled, len(now.pods)), len(now.pods))
            self._ends.wait(_PAUSE_S)

    def _worker_runs(self) -> bool:
        if self._worker is None:
            return False
        try:
            self._worker.check()
        except LocalWorkerError:
            return False
        return True

    def _go_on(self) -> None:
        if self._ends.is_set():
            raise _StoppedError

    def _sent(self, now: Overview) -> list[Part]:
        """Send a little traffic through the relay, where there is one and an engine behind it."""
        engines = len(_engines(now))
        if self._relay is None or not engines:
            return []
        try:
            self._url = self._relay.await_url(_RELAY_S, self._ends)
            admin_url = self._relay.folder.admin_url()
            self._go_on()
            if self._url is None or admin_url is None:
                warn(f"the relay does not serve after {_RELAY_S:g} s; see {self._relay.log}")
                return []
            sent = SampleTraffic(self._url, admin_url, WORKLOAD, self._ends).send(engines)
        except BayplanError as error:
            warn(str(error))
            return []
        self._go_on()
        if sent is None:
            warn("the relay has found no engine that is ready")
            return []
        for problem, number in sent.failures.items():
            warn(f"{number} of the chats through the relay: {problem}")
        return list(sent.parts(self._url))

    def _told(self, now: Overview) -> Iterator[Part]:
        if self._worker is not None:
            try:
                self._worker.check()
            except LocalWorkerError as error:
                yield f"warning: {error}"
        yield Title("Try next, in another terminal")
        for about, *lines in self._commands(now):
            yield f"  # {about}"
            yield from map(Verbatim, (f"  {each}" for each in lines))
        yield ""

    def _commands(self, now: Overview) -> Iterator[tuple[str, ...]]:
        """What each command shows, and its lines."""
        command, flag = own_command(), folder_flag(self._folder)
        kubeconfig = self._folder / KUBECONFIG
        yield "every Pod and its worker", f"kubectl --kubeconfig {kubeconfig} get pods -n {NAMESPACE} -o wide"
        yield "what is in the way of a gang of 16 cards", f"{command} why workload/{_EXPLAINED} -n {NAMESPACE}{flag}"
        if self._url is not None:
            message = f'{{"model":"{WORKLOAD}","messages":[{{"role":"user","content":"Hello"}}]}}'
            yield (
                "a chat with the engine that suits it best",
                f"curl {self._url}/v1/chat/completions \\",
                "  -H content-type:application/json \\",
                f"  -d '{message}'",
            )
            yield "the engines and their load, live", f"{command} top{flag}"
            yield from self._inferences(now)
        engines = _engines(now)
        if engines:
            named = engines[0]["metadata"]["name"]
            yield "the log of an engine that runs on this machine", f"{command} logs {named} -n {NAMESPACE}{flag}"
        else:
            yield "what happened", f"{command} events -n {NAMESPACE}{flag}"

    def _inferences(self, now: Overview) -> Iterator[tuple[str, ...]]:
        """A request to a model by its name, where one serves; and the model that no server takes."""
        if now.serving_models:
            named = now.serving_models[0]
            question = '{"inputs":[{"name":"x","shape":[1,4],"datatype":"FP32","data":[5.1,3.5,1.4,0.2]}]}'
            yield (
                "a request to a model on a server that holds many",
                f"curl {self._url}/v2/models/{named}/infer \\",
                "  -H content-type:application/json \\",
                f"  -d '{question}'",
            )
        if now.refused_models:
            command, flag = own_command(), folder_flag(self._folder)
            yield "why a model is on no server", f"{command} why model/{now.refused_models[0]} -n {NAMESPACE}{flag}"


def _engines(now: Overview) -> list[dict[str, Any]]:
    """Pods that are ready on the worker of this machine."""
    return [
        each
        for each in now.placed
        if each["spec"]["nodeName"] == NAME and state_of(each) == "ready" and owner_of(each) == f"workload/{WORKLOAD}"
    ]

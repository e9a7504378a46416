"""What a container does: it waits, runs or has ended; as Kubernetes writes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.control.clock import moment_text

if TYPE_CHECKING:
    from bayplan.runtimes.processes.replica_process import Ended


@dataclass(frozen=True, slots=True)
class Waiting:
    """Not started, or not again yet."""

    reason: str = "ContainerCreating"
    message: str = ""

    def document(self) -> dict[str, Any]:
        return {"waiting": {"reason": self.reason} | ({"message": self.message} if self.message else {})}


@dataclass(frozen=True, slots=True)
class Running:
    """Started."""

    since_s: float
    pid: int

    def document(self) -> dict[str, Any]:
        return {"running": {"startedAt": moment_text(self.since_s)}}


@dataclass(frozen=True, slots=True)
class Terminated:
    """Ended, by itself or because it was asked to."""

    code: int
    signal: int
    reason: str
    began_s: float
    at_s: float
    message: str = ""

    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "exitCode": self.code,
            "reason": self.reason,
            "startedAt": moment_text(self.began_s),
            "finishedAt": moment_text(self.at_s),
        }
        if self.signal:
            document["signal"] = self.signal
        if self.message:
            document["message"] = self.message
        return {"terminated": document}


State = Waiting | Running | Terminated


def terminated(ended: Ended, message: str = "") -> Terminated:
    """The state after a run; the words are those of Kubernetes."""
    reason = "Completed" if ended.code == 0 else "Error"
    return Terminated(ended.code, ended.signal, reason, ended.began_s, max(ended.began_s, ended.at_s), message)


@dataclass(slots=True)
class ContainerStatus:
    """Everything that is told about one container."""

    name: str
    image: str
    state: State
    last: Terminated | dict[str, Any] | None = None
    restarts: int = 0
    started: bool = False
    ready: bool = False

    def document(self) -> dict[str, Any]:
        """The entry of `status.containerStatuses`."""
        running = self.state if isinstance(self.state, Running) else None
        return {
            "name": self.name,
            "image": self.image,
            "imageID": "",
            "containerID": f"process://{running.pid}" if running else "",
            "state": self.state.document(),
            "lastState": self.last.document() if isinstance(self.last, Terminated) else self.last or {},
            "restartCount": self.restarts,
            "started": self.started,
            "ready": self.ready,
        }

"""Where KV events come from: `kvEventsConfig` of a precise prefix producer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean

_PLACE: Final = "kvEventsConfig"
_FIELDS: Final = (
    "zmqEndpoint", "discoverPods", "podDiscoveryConfig", "topicFilter", "concurrency", "engineType",
)  # fmt: skip
_DISCOVERY_FIELDS: Final = ("podLabelSelector", "podNamespace", "socketPort", "replaySocketPort")
_LAST_PORT: Final = 65_535


@dataclass(frozen=True, slots=True)
class KvEventSettings:
    """`port` is where each endpoint publishes, rank N at port + N; None: endpoints connect to `bind` instead.

    `replay_port` answers what was missed; None: nobody does. `block_size` is what the index expects, None for any.
    """

    port: int | None = 5557
    replay_port: int | None = None
    bind: str = ""
    topic: str = "kv@"
    block_size: int | None = None

    @classmethod
    def of(cls, config: Mapping[str, Any], block_size: int | None = None) -> KvEventSettings:
        """The settings of llm-d's configuration."""
        _refuse_unknown(config, _FIELDS, _PLACE)
        found = config.get("podDiscoveryConfig") or {}
        if not isinstance(found, Mapping):
            raise InputError("it is no mapping", place=f"{_PLACE}.podDiscoveryConfig", next="write socketPort: 5557")
        _refuse_unknown(found, _DISCOVERY_FIELDS, f"{_PLACE}.podDiscoveryConfig")
        bind, topic = config.get("zmqEndpoint") or "", config.get("topicFilter", "kv@")
        if not isinstance(bind, str) or (bind and not bind.startswith("tcp://")):
            following = "write tcp://ADDRESS:PORT, or discoverPods: true"
            raise InputError(f"{bind!r:.80} is no address of ZMQ", place=f"{_PLACE}.zmqEndpoint", next=following)
        if not isinstance(topic, str):
            raise InputError(f"{topic!r:.80} is no text", place=f"{_PLACE}.topicFilter", next="write kv@")
        discovers = config.get("discoverPods", not bind)
        return cls(
            port=_port(found, "socketPort", 5557) if discovers else None,
            replay_port=_port(found, "replaySocketPort", None),
            bind=bind,
            topic=topic,
            block_size=block_size,
        )


def _port(config: Mapping[str, Any], key: str, absent: int | None) -> int | None:
    port = config.get(key)
    if port is None:
        return absent
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port <= _LAST_PORT:
        place = f"{_PLACE}.podDiscoveryConfig.{key}"
        raise InputError(f"{port!r:.40} is no port", place=place, next=f"write 1 to {_LAST_PORT}")
    return port or absent


def _refuse_unknown(config: Mapping[str, Any], known: tuple[str, ...], place: str) -> None:
    for each in config:
        if each not in known:
            raise InputError(f"no field is called {each!r:.80}", place=place, next=did_you_mean(str(each), known))

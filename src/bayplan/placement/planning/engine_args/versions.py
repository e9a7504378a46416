"""Which flags a release of an engine knows: one that does not know a flag refuses to start."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.sizing.engine import EngineName

SINCE: dict[EngineName, dict[str, tuple[int, ...]]] = {
    # The API pages of vLLM 0.10.0 and before (docs.vllm.ai/en/v0.10.0/api/vllm/config.html) have no such field of
    # CacheConfig; between that release and 0.11 it is left out rather than guessed.
    "vllm": {"--kv-cache-memory-bytes": (0, 11)},
    # github.com/ggml-org/llama.cpp/pull/6017 (13 March 2024) adds `-ub`; builds were numbered about b2410 then.
    "llama-cpp": {"--ubatch-size": (2450,)},
}
"""The first release that knows a flag; flags that are not named here are as old as the engines."""

_RELEASE = re.compile(r"v?(\d{1,6}(?:\.\d{1,6}){1,3})(?!\d).*")
_BUILD = re.compile(r"b?(\d{3,9})(?:\b.*)?")


def release(engine: EngineName, version: str) -> tuple[int, ...] | None:
    """The numbers of a version: `0.11.2`, `v0.4.6.post1`, or a build of llama.cpp such as `b4500`; None: not known."""
    found = (_BUILD if engine == "llama-cpp" else _RELEASE).fullmatch(version.strip().lower())
    return None if found is None else tuple(int(number) for number in found[1].split("."))


def knows(engine: EngineName, version: str | None, flag: str) -> bool:
    """Whether that version knows the flag; one that cannot be read, or that is not given, knows all."""
    since = SINCE.get(engine, {}).get(flag)
    numbers = None if version is None else release(engine, version)
    return since is None or numbers is None or numbers >= since


def version_warning(engine: EngineName, version: str | None) -> str | None:
    """That a version could not be read, where it would matter."""
    if version is None or engine not in SINCE or release(engine, version) is not None:
        return None
    example = "b4500" if engine == "llama-cpp" else "0.11.0"
    return f"backend.version {version!r} is not known, so all flags are passed; write a version such as {example}"

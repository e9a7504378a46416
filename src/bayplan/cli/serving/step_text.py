"""One step of a rehearsal in a few words."""

from __future__ import annotations

from typing import Any


def step_text(step: Any) -> str:
    """`apply iris`, `drain mlserver/1`; the steps were read before, so they have the right form."""
    event = step.get("do", step)
    ((verb, about),) = event.items()
    return f"{verb} {_about(about)}".strip()


def _about(about: Any) -> str:
    if not isinstance(about, dict):
        return str(about)
    if "metadata" in about:
        return str(about["metadata"].get("name", ""))
    place = "/".join(str(about[key]) for key in ("server", "index") if about.get(key) is not None)
    words = [str(about[key]) for key in ("model",) if key in about]
    return " on ".join([*words, *([place] if place else [])])

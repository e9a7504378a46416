"""The advice of scaling as a JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayplan.serving.autoscaling.advice import Advice


def scaling_document(name: str, subject: str, advice: Advice) -> dict[str, Any]:
    """`subject` is `model` or `server`."""
    return {
        "kind": "Scaling",
        "workload": name,
        "subject": subject,
        "current": advice.current,
        "desired": advice.desired,
        "action": advice.action,
        "reason": advice.reason,
    }

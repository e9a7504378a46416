"""Changes of Kubernetes objects."""

from __future__ import annotations

from bayplan.routing.plugin_kinds import DATA_SOURCE


class K8sNotificationSource:
    """Read, but without effect: endpoints are watched by discovery."""

    name = "k8s-notification-source"
    kinds = (DATA_SOURCE,)

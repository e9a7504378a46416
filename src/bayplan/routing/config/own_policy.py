"""Our own policy as a configuration: one scorer keeps the account that it decides by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.config.place import Place
from bayplan.routing.config.entries import OWN_SCORER

if TYPE_CHECKING:
    from bayplan.framework.config.declarations import Declarations
    from bayplan.framework.config.findings import Findings
    from bayplan.routing.config.routing_config import OwnPolicy


def own_policy_document(policy: OwnPolicy = "early") -> dict[str, Any]:
    """The configuration that counts where none is given."""
    return {"scheduler": "routing", "ownPolicy": policy}


def check_own_policy(policy: Any, plugins: Declarations, findings: Findings) -> None:
    """Our own policy needs its scorer."""
    if policy is not None and plugins.whole and not any(each.type and each.type.name == OWN_SCORER for each in plugins):
        message = f"our own policy decides by {OWN_SCORER!r}, which plugins does not hold"
        findings.add(Place(("ownPolicy",)), message, f"declare it: {{type: {OWN_SCORER}}}")

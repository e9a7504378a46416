"""What is odd about a model on these servers, though no reason to refuse it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.nearest import did_you_mean
from bayplan.manifests.serving.seldon_model import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.serving.books.ledger import Ledger
    from bayplan.serving.planning.model_plan import ModelPlan


def model_warnings(plan: ModelPlan, ledger: Ledger) -> Iterator[str]:
    """Warnings about the server that it names, and about versions above the one that is meant."""
    model = plan.model
    if model.server is not None and model.server not in ledger.servers:
        known = did_you_mean(model.server, ledger.servers)
        yield f"spec.server: there is no server {model.server!r}; {known}"
    if plan.holdings.higher and not model.deleted:
        highest = max(each.version for each in plan.holdings.higher)
        yield (
            f"{VERSION}: version {plan.version} is meant, and version {highest} is booked, too: it only holds its"
            " memory; name the version that should be there"
        )

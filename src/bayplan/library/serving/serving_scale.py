"""How many replicas Models and servers should have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.manifests.fields import read_whole
from bayplan.manifests.serving.serving_signals import collect_serving_signals
from bayplan.serving.answers.scaling_document import scaling_document
from bayplan.serving.autoscaling.model_advice import ModelSignals, model_advice
from bayplan.serving.autoscaling.server_advice import PlannedModels, server_advice
from bayplan.serving.statuses.model_status import ModelState, model_status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.manifests.reader import Document
    from bayplan.serving.planning.planner import Planner
    from bayplan.serving.served_model import ServedModel


def serving_scale(models: Iterable[ServedModel], signals: Document, planner: Planner) -> list[dict[str, Any]]:
    """A Scaling for each model, then for each server; models are planned in order and booked."""
    read, _ = read_whole(collect_serving_signals, signals, signals.data)
    planned = PlannedModels(planner)
    answers = []
    for model in models:
        plan = planner.plan(model)
        available = model_status(plan).state is ModelState.AVAILABLE
        planned.add(plan)
        known = read.models.get(model.key.name, ModelSignals())
        advice = model_advice(model, plan.version, known, read.thresholds, available=available)
        answers.append(scaling_document(model.key.name, "model", advice))
    planned.carry_out_removals()
    for name, book in planner.ledger.servers.items():
        answers.append(scaling_document(name, "server", server_advice(book, planned, packing=read.packing)))
    return answers

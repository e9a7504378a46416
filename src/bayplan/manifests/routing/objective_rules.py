"""Objectives and rewrites of models: short forms of the Endpoints document, and the Kubernetes documents."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from bayplan.manifests.fields import present
from bayplan.manifests.native.metadata import timestamp_s
from bayplan.manifests.values import count, name, priority
from bayplan.routing.requests.rewrite import Rewrite, Rule, Target

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields


def read_objective(fields: Fields) -> tuple[str, int]:
    """`{name, priority}`, or an InferenceObjective: its name and its priority, 0 where none is given."""
    found, body, _ = _opened(fields)
    return found, body.read("priority", priority, 0)


def read_rewrite(fields: Fields) -> Rewrite:
    """`{name, created, rules}`, or an InferenceModelRewrite. One without a time counts as the newest."""
    found, body, created_s = _opened(fields)
    rules = present(_rule(rule) for rule in body.children("rules"))
    return Rewrite(found, inf if created_s is None else created_s, rules)


def _opened(fields: Fields) -> tuple[str, Fields, float | None]:
    """The name, the mapping that holds the rest, and the time of creation."""
    if "spec" not in fields:
        fields.ignore("kind", "apiVersion", "priority", "rules")
        found = fields.need("name", name, "?")
        created_s = fields.read("created", timestamp_s)
        fields.finish()
        return found, fields, created_s
    fields.ignore("kind", "apiVersion", "status")
    metadata, spec = fields.child("metadata"), fields.child("spec")
    spec.ignore("poolRef", "priority", "rules")
    spec.finish()
    fields.finish()
    return metadata.need("name", name, "?"), spec, metadata.read("creationTimestamp", timestamp_s)


def _rule(fields: Fields) -> Rule | None:
    models = [match.child("model").need("value", name, "?") for match in fields.children("matches")]
    targets = [_target(target) for target in fields.children("targets")]
    fields.finish()
    if not targets and not fields.broken("targets"):
        fields.add("is missing", "targets", next="name at least one model, as {modelRewrite: NAME}")
    elif all(target.weight == 0 for target in targets) and not fields.broken("targets"):
        fields.add("all weights are 0, so no model can be chosen", "targets", next="give one a weight above 0")
    return None if fields.broken() else Rule(frozenset(models), tuple(targets))


def _target(fields: Fields) -> Target:
    found = Target(fields.need("modelRewrite", name, "?"), fields.read("weight", count))
    fields.finish()
    return found

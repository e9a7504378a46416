"""Handlers at work: profiles that take the endpoints of a role, and what was decided."""

from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Profile
from bayplan.framework.scheduler import Scheduler
from bayplan.routing.filters.by_label import ByLabel
from bayplan.routing.hooks import Sent
from bayplan.routing.pickers.max_score_picker import MaxScorePicker
from bayplan.routing.stages import ALONE
from unit.routing.endpoint_tables import endpoints, request


def pool(*stages):
    """An endpoint for each stage's name, which is its label `stage` and its own name; a stage may come twice."""
    return endpoints(
        *(
            {"name": f"{stage}{stages[:place].count(stage) or ''}", "labels": {"stage": stage}}
            for place, stage in enumerate(stages)
        )
    )


def profile(name, picker=None, stage=None):
    """A profile that takes the endpoint of its stage."""
    return Profile(name, picker or MaxScore(), filters=(ByLabel("stage", (stage or name,)),))


def decided(handler, profiles, table, asked=None):
    """The picks of each run, and the decision's stages."""
    outcome = Scheduler(profiles, handler, table=table).schedule(asked or request())
    picked = {name: [pick.key for pick in run.picked] for name, run in outcome.results.items()}
    assert outcome.decision.value is not None
    return picked, outcome.decision.primary, outcome.decision.value


def headers(handler, table, primary, **rows):
    """The headers that the handler adds where these rows were picked, by profile."""
    prefill = "prefill" if "prefill" in rows else None
    return dict(handler.request_headers(request(), Sent({primary: (0,), **rows}, primary, prefill, table)))


__all__ = ["ALONE", "MaxScorePicker", "decided", "headers", "pool", "profile"]

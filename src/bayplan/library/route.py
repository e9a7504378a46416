"""`bayplan.route`: which endpoint answers a request, or several, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.library.documents import documents_of
from bayplan.library.registry import read_any_config
from bayplan.manifests.fields import read_whole
from bayplan.manifests.reader import Document
from bayplan.manifests.routing.endpoints import read_endpoints
from bayplan.manifests.routing.request_form import read_request
from bayplan.manifests.routing.steps import read_steps
from bayplan.manifests.values import what
from bayplan.routing.answer import Answer
from bayplan.routing.config.routing_config import RoutingConfig
from bayplan.routing.documents.route import waiting_document
from bayplan.routing.documents.route_list import route_list_document
from bayplan.routing.router import Router

if TYPE_CHECKING:
    from bayplan.manifests.routing.endpoints import EndpointsFile
    from bayplan.manifests.routing.request_form import RequestForm
    from bayplan.manifests.routing.steps import Step
    from bayplan.routing.requests.routed_request import RoutedRequest


def route(
    requests: Any, endpoints: Any, *, config: Any = None, seed: int = 0, now: float | None = None
) -> dict[str, Any]:
    """A Route for one request, a RouteList for a list of steps; `now` is the time of the first step in seconds.

    `config` is an EndpointPickerConfig or a SchedulerConfig of routing; None: our own policy, early.
    """
    router_config = None if config is None else _config(config)
    pool = read_endpoints(documents_of(endpoints, "endpoints"))
    run = _Run(Router(router_config, seed=seed), pool, 0.0 if now is None else now)
    given = requests if isinstance(requests, Document) else Document(requests, "requests")
    if isinstance(given.data, Mapping):
        form, warnings = read_whole(read_request, given, given.data)
        return run.one(form, (*pool.warnings, *warnings))
    if not isinstance(given.data, list | tuple):
        raise InputError(
            f"{what(given.data)} is no request", place=given.source, next="give a dict, or a list of steps"
        )
    steps, warnings = read_steps(given)
    for step in steps:
        run.take(step)
    return run.all((*pool.warnings, *warnings))


def _config(given: Any) -> RoutingConfig:
    document = given if isinstance(given, Document) else Document(given, "config")
    config = read_any_config(document.data, line=document.line if document.places else None)
    if isinstance(config, RoutingConfig):
        return config
    step = "give an EndpointPickerConfig, or a SchedulerConfig with scheduler: routing"
    raise InputError(f"is a configuration of {config.scheduler}", place="config.scheduler", next=step)


class _Run:
    """One call: a router that is told what happens, and the documents of what it answers."""

    def __init__(self, router: Router, pool: EndpointsFile, start_s: float) -> None:
        self._router = router
        self._start_s = self._now = start_s
        self._items: dict[str, dict[str, Any]] = {}
        self._dispatched: list[str] = []
        self._warnings: list[str] = []
        router.set_objectives(pool.objectives)
        router.set_rewrites(pool.rewrites)
        for endpoint in pool.endpoints:
            router.endpoint_up(endpoint, start_s)

    def one(self, form: RequestForm, warnings: tuple[str, ...]) -> dict[str, Any]:
        """The Route of one request."""
        self._arrive(form)
        document = self._documents()[0]
        return {**document, "warnings": [*warnings, *document["warnings"]]}

    def all(self, warnings: tuple[str, ...]) -> dict[str, Any]:
        """The RouteList after the last step."""
        router, now = self._router, self._now
        items = self._documents()
        return route_list_document(
            items,
            self._dispatched,
            [request.id for request in router.waiting()],
            router.inflight(),
            router.bands(now),
            router.saturation(now),
            dict.fromkeys((*warnings, *self._warnings, *(text for item in items for text in item["warnings"]))),
        )

    def take(self, step: Step) -> None:
        """One step."""
        self._now = now = self._start_s + step.at_s
        router, value = self._router, step.value
        match step.kind:
            case "arrive":
                self._arrive(value)
            case "first-token":
                self._note(router.first_token(value, now))
            case "complete":
                id_, usage = value
                prompt_tokens, completion_tokens = usage or (None, None)
                answers = router.complete(id_, now, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
                self._note(answers)
            case "abort":
                self._note(router.abort(value, now))
            case "tick":
                self._note(router.tick(now))
            case "shutdown":
                self._note(router.shutdown(now))
            case _:
                self._take_news(step, now)

    def _take_news(self, step: Step, now: float) -> None:
        """What happens to endpoints."""
        router, value = self._router, step.value
        match step.kind:
            case "metrics":
                for name, given in value.items():
                    former = router.metrics_of(name)
                    if former is None:
                        self._warnings.append(f"metrics of {name!r} are ignored: no endpoint has this name now")
                    else:
                        self._note(router.report(name, replace(former, **given), now))
            case "endpoint-up":
                for endpoint in value:
                    self._note(router.endpoint_up(endpoint, now))
            case "endpoint-down":
                self._note(router.endpoint_down(value, now))
            case "kv":
                name, event = value
                router.kv_event(name, event, now)
                self._note(router.tick(now))

    def _arrive(self, form: RequestForm) -> None:
        router, now = self._router, self._now
        parsed = router.parse(form.id, form.path, form.headers, form.body, now, subset=form.subset)
        request = parsed.request if isinstance(parsed, Answer) else parsed
        request.explained = True
        _tell(request, form)
        self._items[form.id] = waiting_document(request, router.saturation(now))
        self._note([parsed] if isinstance(parsed, Answer) else router.arrive(request, now))

    def _note(self, answers: list[Answer]) -> None:
        for answer in answers:
            self._items[answer.request.id] = self._router.explain(answer)
            if answer.ok:
                self._dispatched.append(answer.request.id)

    def _documents(self) -> list[dict[str, Any]]:
        return list(self._items.values())


def _tell(request: RoutedRequest, form: RequestForm) -> None:
    """What the document says of a request counts before its headers."""
    if form.priority is not None:
        request.priority = form.priority
    if form.fairness_id is not None:
        request.fairness_id = form.fairness_id
    if form.size_bytes is not None:
        request.size_bytes = form.size_bytes
    request.ttl_s = form.ttl_s

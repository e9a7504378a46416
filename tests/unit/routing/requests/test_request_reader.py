import json

import pytest

from bayplan.routing.producers.agent_identity import AgentIdentity
from bayplan.routing.requests.parser_table import ParserTable
from bayplan.routing.requests.parsers.openai_parser import OpenaiParser
from bayplan.routing.requests.parsers.passthrough_parser import PassthroughParser
from bayplan.routing.requests.parsers.sglanghttp_parser import SglanghttpParser
from bayplan.routing.requests.request_reader import RequestReader
from bayplan.routing.requests.rewrite import Rewrite, RewriteTable, Rule, Target

PARSERS = (("api", OpenaiParser()), ("sg", SglanghttpParser()), ("rest", PassthroughParser()))


def reader(*parsers, agent_identity=None, objectives=None, rewrites=()):
    made = RequestReader(ParserTable(parsers or PARSERS), agent_identity)
    made.objectives = objectives or {}
    made.rewrites = RewriteTable(rewrites)
    return made


def rule(model, target):
    models = frozenset() if model is None else frozenset({model})
    return Rewrite("w", 1.0, (Rule(models, (Target(target),)),))


def read(the_reader=None, *, path="/v1/completions", body=None, headers=None, subset=None):
    data = {"model": "m", "prompt": "hello world"} if body is None else body
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    return (the_reader or reader()).read("r", path, headers or {}, text, 5.0, lambda n: 0, subset)


def test_a_request():
    request, problem = read(headers={"X-Slo-TTFT-ms": "200", "X-Thing": "1"}, subset=["10.0.0.1"])

    assert problem is None
    assert (request.parser, request.model, request.asked_model, request.prompt_tokens) == ("api", "m", "m", 3)
    assert (request.priority, request.fairness_id, request.slo_ttft_ms, request.slo_tpot_ms) == (
        0,
        "default-flow",
        200.0,
        None,
    )
    assert (request.subset, request.arrived_s, request.size_bytes) == (frozenset({"10.0.0.1"}), 5.0, 39)
    assert request.headers == {"x-slo-ttft-ms": "200", "x-thing": "1"}
    assert request.body is None
    assert not request.headers_only


def test_headers_only():
    request, problem = read(path="/v1/completions", body=b"")

    assert problem is None
    assert request.headers_only
    assert (request.model, request.parser, request.prompt_tokens) == (None, "", 0)


def test_what_no_parser_claims_is_passed_on_unread():
    request, problem = read(path="/v1/audio", body=b"\xff\xfe")

    assert problem is None
    assert (request.model, request.parser, request.prompt_tokens, request.size_bytes) == (None, "rest", 0, 2)


MISTAKES = {
    "no JSON": ({"body": b"{"}, "body: is no JSON"),
    "no object": ({"body": b"[1]"}, "body: is a list"),
    "a field is missing": ({"body": {"model": "m"}}, "body.prompt: is missing"),
    "no model": ({"body": {"prompt": "x"}}, "body.model: is missing"),
    "no parser": ({"the_reader": reader(PARSERS[0]), "path": "/x"}, "path: no parser claims '/x'"),
}


@pytest.mark.parametrize(("given", "beginning"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_of_clients(given, beginning):
    request, problem = read(**given, headers={"x-llm-d-inference-fairness-id": "f"})

    assert str(problem).startswith(beginning)
    assert request.fairness_id == "f"


REWRITES = {
    "a rule": ({"rewrites": [rule("m", "n")]}, {}, {"model": "m", "prompt": "x"}, "n"),
    "the header before the rule": (
        {"rewrites": [rule("m", "n")]}, {"x-gateway-model-name-rewrite": "h"}, {"model": "m", "prompt": "x"}, "h",
    ),
    "a header for a body without a model": ({}, {"x-llm-d-model-name-rewrite": "h"}, {"prompt": "x"}, "h"),
    "a catch-all for a body without a model": ({"rewrites": [rule(None, "n")]}, {}, {"prompt": "x"}, "n"),
}  # fmt: skip


@pytest.mark.parametrize(("given", "headers", "body", "model"), REWRITES.values(), ids=REWRITES)
def test_rewriting(given, headers, body, model):
    request, problem = read(reader(**given), headers=headers, body=body)

    assert problem is None
    assert (request.model, request.asked_model) == (model, body.get("model"))
    assert json.loads(request.body) == {**body, "model": model}


def test_a_model_that_is_renamed_to_itself_changes_no_byte():
    request, _ = read(reader(rewrites=[rule("m", "m")]))

    assert (request.model, request.body) == ("m", None)


def test_an_api_without_models_gets_none_in_its_body():
    request, problem = read(reader(rewrites=[rule(None, "n")]), path="/generate", body={"input_ids": [1]})

    assert problem is None
    assert (request.model, request.body) == ("n", None)


def test_a_rule_with_some_weights_warns():
    targets = (Target("a", 1), Target("b"))
    request, _ = read(reader(rewrites=[Rewrite("w", 1.0, (Rule(frozenset({"m"}), targets),))]))

    assert request.model == "a"
    assert "b has no weight" in request.warnings[0]


def test_objectives():
    made = reader(objectives={"gold": 5})

    assert read(made, headers={"x-llm-d-inference-objective": "gold"})[0].priority == 5
    assert read(made, headers={"x-llm-d-inference-objective": "lead"})[0].priority == 0


FLOWS = {
    "the header": ({"x-gateway-inference-fairness-id": "f", "session-id": "s"}, "f", "s"),
    "the agent's session": ({"session-id": "s"}, "s", "s"),
    "neither": ({}, "default-flow", None),
}


@pytest.mark.parametrize(("headers", "flow", "agent"), FLOWS.values(), ids=FLOWS)
def test_flows_of_agents(headers, flow, agent):
    request, _ = read(reader(agent_identity=AgentIdentity()), headers=headers)

    assert (request.fairness_id, request.notes.get("agent-identity")) == (flow, agent)

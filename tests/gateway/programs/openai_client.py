"""What users of the `openai` package do, against the URL of a gateway; prints {scenario: problem} as JSON."""

import json
import sys
import traceback

import openai

MODEL = "org/model"


def chat(client):
    answer = client.chat.completions.create(
        model=MODEL, max_tokens=8, messages=[{"role": "user", "content": "hello"}], temperature=0.5
    )
    assert answer.choices[0].message.content
    assert answer.usage.completion_tokens == 8


def streaming(client):
    events = list(
        client.chat.completions.create(
            model=MODEL,
            max_tokens=20,
            stream=True,
            stream_options={"include_usage": True},
            messages=[{"role": "user", "content": "hello"}],
        )
    )
    assert len(events) > 2
    assert events[-1].usage.completion_tokens == 20


def completions(client):
    assert client.completions.create(model=MODEL, prompt="hello", max_tokens=4).choices[0].text


def models(client):
    assert [each.id for each in client.models.list()] == [MODEL]


def long_prompts(client):
    text = "all work and no play " * 11_000
    answer = client.chat.completions.create(model=MODEL, max_tokens=4, messages=[{"role": "user", "content": text}])
    assert answer.usage.prompt_tokens > 50_000


def errors(client):
    problem = refused(client, openai.BadRequestError, model=MODEL, messages=[])
    assert problem.body["message"]
    problem = refused(client, openai.NotFoundError, model="other", messages=[{"role": "user", "content": "hello"}])
    assert "other" in str(problem)


def refused(client, kind, **asked):
    try:
        client.chat.completions.create(**asked)
    except kind as problem:
        return problem
    raise AssertionError(f"{asked} was accepted")


SCENARIOS = {
    "chat": chat, "streaming": streaming, "completions": completions, "models": models, "long prompts": long_prompts,
    "errors": errors,
}  # fmt: skip


def main(url):
    found = {}
    with openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0, timeout=30) as client:
        for name, scenario in SCENARIOS.items():
            try:
                scenario(client)
            except Exception:
                found[name] = traceback.format_exc(limit=3)
            else:
                found[name] = ""
    print(json.dumps(found))


main(sys.argv[1])

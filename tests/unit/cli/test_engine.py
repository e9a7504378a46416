"""`bayplan engine`: its flags. What it serves is tested in tests/engine."""

import http.client
import subprocess
import sys

import pytest

from bayplan.cli.main import run
from engine.running import errors, running

WRONG = {
    "no model": ([], "bayplan engine: no model is named; add --model NAME"),
    "two models": (["a", "--model", "b"], "bayplan engine: --model and 'a' both name a model; name one"),
    "a profile": (["m", "--profile", "9b"], "--profile: there is no profile '9b'; there are: 70b, 8b"),
    "a speed": (["m", "--speed", "0"], "--speed: must be more than 0"),
    "a time": (["m", "--prefill-us", "-1"], "--prefill-us: -1.0 is out of range"),
    "steps of no length": (["m", "--step-ms", "0"], "--step-ms: must be more than 0; steps without a length never end"),
    "adapters": (["m", "--enable-lora", "--max-loras", "0"], "--max-loras: 0 is less than 1"),
    "an adapter": (["m", "--enable-lora", "--lora-modules", "x"], "--lora-modules: 'x' is not NAME=PATH"),
    "a wait": (["m", "--load-seconds", "-1"], "--load-seconds: -1.0 is less than 0"),
    "an answer": (["m", "--output-tokens", "0"], "--output-tokens: 0 is less than 1"),
    "a port": (
        ["m", "--port", "70000"],
        "--port: 70000 is not between 0 and 65535; take another one, or 0 for a free one",
    ),
    "a number": (["m", "--seed", "x"], 'bayplan engine: invalid value for --seed: unable to convert "x" into int'),
}


@pytest.mark.parametrize(("words", "message"), WRONG.values(), ids=WRONG)
def test_what_cannot_be(words, message, capsys):
    assert run(["engine", *words]) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_the_command_of_vllm_starts_it():
    flags = ["--tensor-parallel-size", "2", "--gpu-memory-utilization=0.9", "--trust-remote-code", "-pp", "1"]
    honoured = ["--served-model-name", "chat", "--max-model-len=32k", "--kv-cache-memory-bytes", "8Gi"]
    with running(*flags, *honoured, "--max-num-seqs", "7", "--enable-prefix-caching") as engine:
        (card,) = engine.ask("GET", "/v1/models").document["data"]
        blocks = engine.metrics().labels("vllm:cache_config_info")["num_gpu_blocks"]
        assert engine.stop() == 0
        told = errors(engine)

    assert (card["id"], card["root"], card["max_model_len"]) == ("chat", "org/model", 32_000)
    assert int(blocks) == 8 * 2**30 // (131_072 * 16)
    assert told == f"note: ignored, because nothing is simulated by it: {' '.join(flags)}\n"


def test_the_model_may_stand_alone_as_vllm_has_it():
    command = [sys.executable, "-m", "bayplan", "engine", "serve", "org/other", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        line = next(each for each in process.stdout if each.startswith("ready "))
        connection = http.client.HTTPConnection("127.0.0.1", int(line.rsplit(":", 1)[1]), timeout=30)
        connection.request("GET", "/v1/models")
        body = connection.getresponse().read()
        connection.close()
        process.terminate()

    assert b'"id":"org/other"' in body


HEAVY = ("numpy", "starlette", "uvicorn", "uvloop", "yaml", "rich", "sqlite3", "cryptography", "bayplan.control")


def test_little_is_loaded():
    code = "import sys, bayplan.cli.engine; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not set(HEAVY) & set(done.stdout.split())

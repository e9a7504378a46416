"""What flags of engines say."""

import pytest

from bayplan.runtimes.processes.engine_flags import read_flags

CASES = {
    "none": ([], "", ()),
    "the model first": (["org/m", "--x"], "org/m", ("--x",)),
    "the model as a flag": (["--model", "m", "--x"], "m", ("--x",)),
    "joined by a sign": (["--model-path=m", "--x=1"], "m", ("--x=1",)),
    "where to listen is left out": (["--port", "8000", "--host=0.0.0.0", "--x"], "", ("--x",)),
    "a flag without its value": (["--x", "--port"], "", ("--x",)),
    "short for llama.cpp": (["-m", "f.gguf", "-ngl", "99"], "f.gguf", ("-ngl", "99")),
}


@pytest.mark.parametrize(("args", "model", "kept"), CASES.values(), ids=CASES)
def test_flags(args, model, kept):
    flags = read_flags(args)

    assert (flags.model, flags.args) == (model, kept)


def test_values():
    values = read_flags(
        ["--tensor-parallel-size", "4", "--gpu-memory-utilization=0.9", "--served-model-name", "n"]
    ).values()

    assert values == {"tp": "4", "pp": "1", "fraction": "0.9", "name": "n"}

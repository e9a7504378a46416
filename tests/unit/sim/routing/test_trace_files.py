import pytest

from bayplan.framework.errors import InputError
from bayplan.sim.routing.trace import TraceRequest
from bayplan.sim.routing.trace_files import read_azure, read_mooncake

LINES = """\
{"timestamp": 3000, "input_length": 600, "output_length": 5, "hash_ids": [0, 2]}

{"timestamp": 0, "input_length": 0, "output_length": 0, "hash_ids": [0]}
"""
TABLE = """\
TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 23:59:59.9000000,1100,10
2023-11-17 00:00:01.4000000,300,0
"""


def written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_lines_of_mooncake(tmp_path):
    found = read_mooncake(written(tmp_path, "talk.jsonl", LINES), batch_s=0.0)

    assert found.name == "talk"
    assert found.requests == (TraceRequest("3", 0.0, 1, 1, (0,)), TraceRequest("1", 3.0, 600, 5, (0, 2)))


def test_arrivals_are_spread_over_their_batch_by_the_seed(tmp_path):
    path = written(tmp_path, "talk.jsonl", LINES)

    first, second = read_mooncake(path, seed=1).requests
    assert 0.0 <= first.arrived_s < 3.0 <= second.arrived_s < 6.0
    assert read_mooncake(path, seed=1).requests == (first, second)
    assert read_mooncake(path, seed=2).requests != (first, second)


def test_tables_of_azure_cross_midnight_and_share_no_block(tmp_path):
    first, second = read_azure(written(tmp_path, "code.csv", TABLE)).requests

    assert (first.arrived_s, second.arrived_s) == pytest.approx((0.0, 1.5), abs=1e-4)
    assert (len(first.blocks), len(second.blocks), set(first.blocks) & set(second.blocks)) == (3, 1, set())
    assert (first.output_tokens, second.output_tokens) == (10, 1)


BROKEN = {
    "no JSON": (read_mooncake, "{", ":1"),
    "a field is missing": (read_mooncake, '{"timestamp": 0}', ":1"),
    "a list is a number": (
        read_mooncake, '{"timestamp": 0, "input_length": 1, "output_length": 1, "hash_ids": 3}', ":1",
    ),
    "no time": (read_azure, "TIMESTAMP,ContextTokens,GeneratedTokens\nnever,1,2\n", ":2"),
    "other columns": (read_azure, "a,b\n1,2\n", ":2"),
    "a row too short": (read_azure, "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.97\n", ":2"),
}  # fmt: skip


@pytest.mark.parametrize(("read", "text", "line"), BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_read_is_told_with_its_line(read, text, line, tmp_path):
    with pytest.raises(InputError) as refused:
        read(written(tmp_path, "trace.txt", text))

    assert refused.value.place == f"trace.txt{line}"


def test_empty_files_have_no_requests(tmp_path):
    assert read_mooncake(written(tmp_path, "none.jsonl", "")).requests == ()
    assert read_azure(written(tmp_path, "none.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n")).requests == ()

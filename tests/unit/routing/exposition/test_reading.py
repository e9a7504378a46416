import pytest

from bayplan.routing.exposition.engine import BUILT_IN, Engine, MetricSpec
from bayplan.routing.exposition.family import MOST_SERIES
from bayplan.routing.exposition.reading import Loras, read_metrics

WAITING, RUNNING, USAGE = "vllm:num_requests_waiting", "vllm:num_requests_running", "vllm:kv_cache_usage_perc"
CACHE, LORA = "vllm:cache_config_info", "vllm:lora_requests_info"


def read(text, engine="vllm"):
    return read_metrics(text.encode(), BUILT_IN[engine])


VALUES = {
    "ranks of requests are added": (f'{WAITING}{{engine="0"}} 1\n{WAITING}{{engine="1"}} 3\n', "waiting", 4),
    "ranks of usage: the mean": (f"{USAGE} 0.2\n{USAGE} 0.6\n", "kv_usage", 0.4),
    "the older name of usage": ("vllm:gpu_cache_usage_perc 0.4\n", "kv_usage", 0.4),
    "the newer name of usage comes first": (f"vllm:gpu_cache_usage_perc 0.4\n{USAGE} 0.1\n", "kv_usage", 0.1),
    "a newer name that is a histogram": (
        f"# TYPE {USAGE} histogram\n{USAGE} 0.1\nvllm:gpu_cache_usage_perc 0.4\n",
        "kv_usage",
        0.4,
    ),
    "each usage above 1 counts as 1": (f"{USAGE} 0.5\n{USAGE} 37\n", "kv_usage", 0.75),
    "the block size of the first rank": (
        f'{CACHE}{{block_size="16"}} 1\n{CACHE}{{block_size="x"}} 1',
        "block_size",
        16,
    ),
    "blocks are added": (f'{CACHE}{{num_gpu_blocks="100"}} 1\n{CACHE}{{num_gpu_blocks="120"}} 1', "blocks", 220),
    "a whole number with a point": (f'{CACHE}{{block_size="16.0"}} 1', "block_size", 16),
    "the tokens of the cache": (f'{CACHE}{{block_size="16",num_gpu_blocks="10"}} 1', "kv_token_capacity", 160),
    "no blocks at all": (f'{CACHE}{{block_size="16",num_gpu_blocks="0"}} 1', "kv_token_capacity", 0),
    "no label": (f'{CACHE}{{block_size="16"}} 1', "blocks", None),
    "blocks of one rank are no number": (
        f'{CACHE}{{num_gpu_blocks="100"}} 1\n{CACHE}{{num_gpu_blocks="None"}} 1',
        "blocks",
        None,
    ),
    "a block of no tokens cannot be": (f'{CACHE}{{block_size="0"}} 1', "block_size", None),
    "more tokens than a number can hold": (
        f'{CACHE}{{block_size="{"9" * 15}",num_gpu_blocks="{"9" * 15}"}} 1',
        "kv_token_capacity",
        None,
    ),
}


@pytest.mark.parametrize(("text", "field", "value"), VALUES.values(), ids=VALUES)
def test_values(text, field, value):
    found = getattr(read(text), field)

    assert found == (value if value is None else pytest.approx(value))


UNKNOWN = {
    "NaN": (f"{WAITING} NaN\n", "waiting", WAITING),
    "NaN of one rank": (f"{WAITING} 4\n{WAITING} NaN\n", "waiting", WAITING),
    "infinity": (f"{RUNNING} +Inf\n", "running", RUNNING),
    "below 0": (f"{USAGE} -0.1\n", "kv_usage", USAGE),
    "a sum that is too large": (f"{WAITING} 1e308\n{WAITING} 1e308\n", "waiting", WAITING),
    "a histogram": (f"# TYPE {WAITING} histogram\n{WAITING} 1\n{RUNNING} 1\n", "waiting", "declared as a histogram"),
    "a line that breaks off": (f'{WAITING}{{engine="1', "waiting", "1 unreadable line skipped"),
    "too many series": (f"{WAITING} 1\n" * (MOST_SERIES + 1), "waiting", f"more than {MOST_SERIES} series"),
    "a block size that is no number": (f'{CACHE}{{block_size="auto"}} 1', "block_size", "'auto' is no number"),
}


@pytest.mark.parametrize(("text", "field", "warning"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_cannot_be_is_unknown_and_told(text, field, warning):
    reading = read(text)

    assert getattr(reading, field) is None
    assert any(warning in each for each in reading.warnings)


def test_an_impossible_usage_does_not_bring_back_the_older_name():
    assert read(f"{USAGE} NaN\nvllm:gpu_cache_usage_perc 0.4\n").kv_usage is None


def test_a_usage_above_1_is_told():
    assert read(f"{USAGE} 37.5\n").warnings == (f"{USAGE}: 37.5 is more than 1, and counts as 1",)


def test_nothing_of_the_engine():
    reading = read("<html><body>502</body></html>\n")

    assert not reading.found
    assert reading.warnings == (
        "nothing of engine vllm is in this text, which begins with '<html><body>502</body></html>'",
    )


def test_adapters_of_the_newest_series():
    reading = read(
        f'{LORA}{{max_lora="1",running_lora_adapters="a",waiting_lora_adapters=""}} 5\n'
        f'{LORA}{{max_lora="4",running_lora_adapters="sql, chat,,sql",waiting_lora_adapters=""}} 9\n'
    )

    assert reading.loras == Loras(("sql", "chat"), (), 4)


def test_adapters_are_unknown_without_their_metric_or_labels():
    assert read(f"{WAITING} 1\n").loras == Loras(None, None, None)
    assert read(f'{LORA}{{running_lora_adapters="a",max_lora="some"}} 1\n').loras == Loras(("a",), None, None)


def test_triton_chooses_series_by_a_label():
    kind, requests = (
        "nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=",
        "nv_trt_llm_request_metrics{request_type=",
    )
    reading = read(
        f'{requests}"waiting"}} 5\n{requests}"scheduled"}} 8\n{requests}"max"}} 512\n'
        f'{kind}"fraction"}} 0.625\n{kind}"tokens_per"}} 64\n{kind}"max"}} 6239\n',
        "triton",
    )

    assert (reading.waiting, reading.running, reading.kv_usage) == (5, 8, 0.625)
    assert (reading.block_size, reading.blocks) == (64, 6239)


def test_a_block_size_that_is_a_value_must_be_whole():
    reading = read("trtllm_kv_cache_tokens_per_block 32.5\ntrtllm_kv_cache_max_blocks 10\n", "trtllm-serve")

    assert (reading.block_size, reading.blocks) == (None, 10)


def test_attributes():
    gold = MetricSpec("depth", (("tier", "gold"),))
    engine = Engine("mine", attributes=(("gold", gold), ("missing", MetricSpec("other"))))
    text = b'depth{tier="gold",rank="0"} 11\ndepth{tier="tin"} 99\ndepth{rank="1",tier="gold"} 4\n'

    reading = read_metrics(text, engine)

    assert reading.attributes == {"gold": 15, "missing": None}
    assert reading.metrics.attributes == {"gold": 15}


def test_what_the_router_gets():
    text = f'{WAITING} 1\n{CACHE}{{block_size="16",num_gpu_blocks="10"}} 1\n{LORA}{{running_lora_adapters="a"}} 1\n'

    metrics = read(text).metrics

    assert (metrics.waiting, metrics.running, metrics.kv_token_capacity) == (1, None, 160)
    assert (metrics.lora_active, metrics.lora_waiting, metrics.lora_max) == ({"a"}, frozenset(), 0)
    assert metrics.attributes is None


def test_a_million_foreign_series_and_one_that_counts():
    text = b'noise{n="1"} 1\n' * 1_000_000 + f"{WAITING} 3\n".encode()

    assert read_metrics(text, BUILT_IN["vllm"]).waiting == 3


HOSTILE = {
    "one line of names": "x" + WAITING * 40_000,
    "a quote that stays open": f'{WAITING}{{a="' + '\\"' * 400_000,
    "labels that stay open": f"{WAITING}{{" + 'a="b",' * 150_000,
    "digits": f"{WAITING} " + "9" * 1_000_000,
    "blanks": f"{WAITING} " + " " * 1_000_000,
    "names that almost match": WAITING[:-1] * 40_000,
    "zero bytes": "\0" * 1_000_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_say_nothing(text):
    assert read(text).metrics == read("").metrics

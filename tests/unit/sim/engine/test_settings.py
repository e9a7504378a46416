import pytest

from bayplan.framework.errors import InputError
from bayplan.sim.engine.batching.timing import PROFILES
from bayplan.sim.engine.settings import Sizes, profile_named, read_adapter, read_number

SMALL = PROFILES["8b"]


class TestBlocks:
    def test_are_the_profiles_by_default(self):
        assert Sizes().limits(SMALL).blocks == 790 * 512 // 16
        assert Sizes(block_tokens=512).limits(SMALL).blocks == 790

    def test_follow_from_bytes(self):
        assert Sizes(kv_bytes=2**30).limits(SMALL).blocks == 2**30 // (131_072 * 16)

    def test_a_number_comes_first(self):
        assert Sizes(blocks=100, kv_bytes=2**30).limits(SMALL).blocks == 100


def test_steps_and_sequences():
    limits = Sizes().limits(SMALL)
    assert (limits.step_tokens, limits.sequences) == (8_192, 256)

    limits = Sizes(step_tokens=100).limits(SMALL)
    assert (limits.step_tokens, limits.sequences) == (100, 100)


def test_the_context_is_the_models_or_what_the_blocks_hold():
    for sizes, tokens in ((Sizes(), 131_072), (Sizes(blocks=10), 160), (Sizes(model_tokens=4_096), 4_096)):
        assert sizes.context(SMALL, sizes.limits(SMALL)) == tokens


WRONG = {
    "block size": (Sizes(block_tokens=15), "--block-size: 15 is not one of 1, 8, 16, 32, 64, 128, 256, 512"),
    "no blocks": (Sizes(blocks=0), "--num-gpu-blocks-override: 0 blocks are not between 1 and 4000000"),
    "too little memory": (Sizes(kv_bytes=5), "--kv-cache-memory-bytes: 0 blocks are not between 1 and 4000000"),
    "no tokens": (Sizes(step_tokens=0), "--max-num-batched-tokens: 0 is less than 1"),
    "no sequences": (Sizes(sequences=-1), "--max-num-seqs: -1 is less than 1"),
    "too many sequences": (
        Sizes(step_tokens=8, sequences=9),
        "--max-num-seqs: 9 sequences do not fit into steps of 8 tokens; raise --max-num-batched-tokens or lower it",
    ),
    "a context that does not fit": (
        Sizes(blocks=10, model_tokens=161),
        (
            "--max-model-len: 161 tokens are not between 1 and the 160 that the KV cache holds; "
            "lower it or raise --kv-cache-memory-bytes"
        ),
    ),
}


@pytest.mark.parametrize(("sizes", "message"), WRONG.values(), ids=WRONG)
def test_sizes_that_cannot_be(sizes, message):
    with pytest.raises(InputError) as caught:
        sizes.context(SMALL, sizes.limits(SMALL))
    assert str(caught.value) == message


NUMBERS = {"32768": 32_768, "32k": 32_000, "32K": 32_768, "1.5G": 3 * 2**29, "10Gi": 10 * 2**30, "2GiB": 2**31, "0": 0}


@pytest.mark.parametrize(("text", "number"), NUMBERS.items())
def test_numbers_are_read_as_vllm_does(text, number):
    assert read_number(text, "--max-model-len") == number


@pytest.mark.parametrize("text", ["", "many", "-1", "1x", "nan", "inf", "1e99", "k", "Gi", "1 2"])
def test_what_is_no_number(text):
    with pytest.raises(InputError, match=r"--max-model-len: '.*' is not a number; write 32768, 32k or 10Gi"):
        read_number(text, "--max-model-len")


def test_adapters_are_pairs():
    assert read_adapter("sql=/adapters/a=b") == ("sql", "/adapters/a=b")
    for text in ("sql", "=path", "sql="):
        with pytest.raises(InputError, match=r"--lora-modules: '.*' is not NAME=PATH"):
            read_adapter(text)


def test_profiles_have_names():
    assert profile_named("70b").name == "70b"
    with pytest.raises(InputError, match="--profile: there is no profile '7b'; did you mean '70b'"):
        profile_named("7b")

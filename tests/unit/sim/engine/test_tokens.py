import pytest

from bayplan.sim.engine.tokens import (
    LARGEST_ID,
    WORDS,
    answer,
    block_hashes,
    count_tokens,
    first_word,
    text_of,
    token_ids,
    word,
)


@pytest.mark.parametrize(("text", "tokens"), [(b"", 0), (b"a", 1), (b"abcd", 1), (b"abcde", 2), ("é".encode() * 4, 2)])
def test_four_bytes_are_a_token(text, tokens):
    assert count_tokens(text) == tokens
    assert len(token_ids(text)) == tokens


def test_ids_and_text_are_the_same_prompt():
    assert text_of(token_ids(b"the bay plan")) == b"the bay plan"
    assert token_ids(text_of([0, 7, LARGEST_ID])) == [0, 7, LARGEST_ID]


def test_every_word_of_an_answer_is_one_token():
    assert {count_tokens(each) for each in WORDS} == {1}
    assert count_tokens(answer(3, 0, 50)) == 50


def test_an_answer_is_its_words():
    assert answer(5, 10, 14) == b"".join(word(5, index) for index in range(10, 14))
    assert len({word(5, index) for index in range(len(WORDS))}) == len(WORDS)


def test_equal_prompts_and_seeds_are_answered_alike():
    assert first_word(b"hello", 1) == first_word(b"hello", 1)
    assert len({first_word(b"hello", seed) for seed in range(50)}) > 10
    assert first_word(b"hello", -1) < len(WORDS)


class TestBlockHashes:
    def test_only_full_blocks_have_one(self):
        assert len(block_hashes(b"x" * 63, 4)) == 3
        assert len(block_hashes(b"x" * 64, 4)) == 4
        assert block_hashes(b"x" * 15, 4) == []

    def test_prompts_share_hashes_as_far_as_they_are_equal(self):
        one, other = block_hashes(b"a" * 32 + b"b" * 32, 4), block_hashes(b"a" * 32 + b"c" * 32, 4)

        assert one[:2] == other[:2]
        assert not set(one[2:]) & set(other[2:])

    def test_a_block_counts_only_after_the_same_beginning(self):
        one, other = block_hashes(b"a" * 16 + b"z" * 16, 4), block_hashes(b"b" * 16 + b"z" * 16, 4)

        assert one[1] != other[1]

    def test_salt_keeps_adapters_apart(self):
        assert not set(block_hashes(b"a" * 64, 4, "x")) & set(block_hashes(b"a" * 64, 4, "y"))

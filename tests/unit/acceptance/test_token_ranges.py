from acceptance.token_ranges import with_ranges


def test_ranges_of_tokens_are_lists():
    body = {"tokens": "1..4", "prompt": "1..4", "cached": [{"tokens": "9..9"}], "more": {"tokens": [7]}}

    assert with_ranges(body) == {
        "tokens": [1, 2, 3, 4],
        "prompt": "1..4",
        "cached": [{"tokens": [9]}],
        "more": {"tokens": [7]},
    }
    assert with_ranges({"tokens": "many"}) == {"tokens": "many"}

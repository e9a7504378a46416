from bayplan.routing.prefix.agreement import ENOUGH, Agreement


def judged(*held, told=True):
    agreement = Agreement()
    if told:
        agreement.told("a")
    for each in held:
        agreement.computed("a", is_held=each)
    return agreement


def test_an_engine_that_never_tells_of_its_prompts():
    (problem,) = judged(*[False] * ENOUGH).problems()

    assert "KV events of endpoint a never match" in problem
    assert f"none of the {ENOUGH} prompts" in problem


def test_a_few_prompts_may_be_late():
    assert judged(*[False] * (ENOUGH - 1)).problems() == []


def test_one_prompt_is_enough_to_trust_an_endpoint():
    assert judged(True, *[False] * ENOUGH).problems() == []
    assert judged(*[False] * ENOUGH, True).problems() == []


def test_an_engine_that_tells_nothing_is_another_matter():
    assert judged(*[False] * ENOUGH, told=False).problems() == []


def test_an_endpoint_that_left_is_forgotten():
    agreement = judged(*[False] * ENOUGH)
    agreement.left("a")

    assert agreement.problems() == []

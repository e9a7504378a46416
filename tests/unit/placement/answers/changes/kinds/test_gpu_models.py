from __future__ import annotations

from unit.placement.answers.changes.asking import changes, cluster, worker

ON = cluster(
    worker("a", cards=1, model="A100-SXM4-80GB", usdPerHour=9),
    worker("b", model="L40S", memory="48Gi", usdPerHour=4),
    worker("c", model="H100-SXM5-80GB", usdPerHour=2),
    worker("d", model="T4", memory="16Gi", cards=1, usdPerHour=1),
)


def test_other_models_on_which_it_fits_the_cheapest_first():
    found = changes({"gpus": {"count": 2, "models": ["A100"]}}, ON, "gpu-models")

    assert [each["to"] for each in found] == [["A100", "H100-SXM5-80GB"], ["A100", "L40S"]]
    assert found[0]["detail"] == "allow H100-SXM5-80GB beside A100"
    assert found[0]["cost_usd_per_hour"] == 2


def test_any_model_is_asked_for_already():
    assert not changes({"gpus": {"count": 3}}, ON, "gpu-models")

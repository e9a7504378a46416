"""The benchmark of scraping measures what it says."""

from bench import scraping

import bayplan

GOALS = {"routing/scrape/read", "routing/scrape/foreign-series", "routing/scrape/cpu"}


def test_every_goal_has_a_row(monkeypatch):
    monkeypatch.setattr(scraping, "ROUNDS", 1)

    rows = list(scraping.rows(lambda _: None, calls=2, foreign=10, scrapes=40))

    assert {row.name for row in rows if row.goal is not None} == GOALS
    assert all(row.value > 0 for row in rows)


def test_the_text_is_that_of_an_engine():
    text = scraping.exposition()
    found = bayplan.scrape(text)

    assert 50_000 < len(text) < 60_000
    assert found["metrics"] == {
        "waiting": 3, "running": 12, "kvCacheUsage": 0.41, "cacheBlockSize": 16, "cacheBlocks": 27896,
        "kvTokenCapacity": 446336,
    }  # fmt: skip
    assert found["warnings"] == []

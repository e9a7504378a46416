"""The tour says what the library answers: each figure is worked out here from the fleet's own numbers."""

import re

from bayplan.cli.demo import BROKEN_CONFIG, MODELS, TOO_LARGE
from bayplan.cli.demo_fleet import WORKERS
from bayplan.cli.main import run


def _tour(capsys):
    assert run(["demo"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_the_tour_has_its_five_stations_and_a_next_step(capsys):
    out = _tour(capsys)

    assert re.findall(r"^(\d)\. ", out, re.MULTILINE) == list("12345")
    assert "\nNext\n" in out


def test_every_model_stands_on_the_best_worker_that_is_left(capsys):
    out = _tour(capsys)

    free_mib = {name: free for name, ready, _, free, _ in WORKERS if ready}
    dearest = max(usd for *_, usd in WORKERS)
    for model, need_mib in MODELS:
        parts = {
            name: (3 * (1 - (free_mib[name] - need_mib) / total), 1 - usd / dearest)
            for name, _, total, _, usd in WORKERS
            if free_mib.get(name, 0) >= need_mib
        }
        best = max(parts, key=lambda name: sum(parts[name]))
        free_mib[best] -= need_mib
        shown = [f"{number:.3f}" for number in (sum(parts[best]), *parts[best])]
        assert [model, best, *shown, str(free_mib[best])] in [line.split() for line in out.splitlines()]


def test_every_worker_is_accounted_for(capsys):
    station = _tour(capsys).split("\n3. ")[1].split("\n4. ")[0]

    for name, *_ in WORKERS:
        assert len(re.findall(rf"^  {name}: ", station, re.MULTILINE)) == 1


def test_nothing_fits_is_told_with_codes_and_counts(capsys):
    name, _ = TOO_LARGE

    assert f"\n4. {name} " in (out := _tour(capsys))
    assert "\n  nothing-fits: not-ready on 1, gpu-memory-short on 6 of 6 workers\n" in out


def test_the_broken_configuration_is_told_line_by_line(capsys):
    station = _tour(capsys).split("\n5. ")[1].split("\nNext\n")[0]

    lines = [int(line) for line in re.findall(r"error: broken\.yaml:(\d+): ", station)]
    assert lines == [3, 5, 10, 11]
    assert all(line in station for line in BROKEN_CONFIG.splitlines())

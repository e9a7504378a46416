import pytest

from unit.cli.planning import Folder, job


@pytest.fixture
def folder(tmp_path, capsys):
    return Folder(tmp_path, capsys)


def lines(text):
    return [" ".join(line.split()) for line in text.splitlines()]


def test_several_workloads_have_a_line_each_totals_and_the_failures(folder):
    code, out, _ = folder.call("plan", job("a"), job("b", 2), job("c", 9), job("d", 9))

    shown = lines(out)
    assert code == 3
    assert shown[0] == "WORKLOAD VERDICT PLACED WORKERS CARDS GiB PER CARD USD/H"
    assert shown[1] == "a fits 1 of 1 small 1 24.0 unknown"
    assert shown[3] == "c infeasible 0 of 1 - 0 - -"
    assert "4 workloads: 2 fit, 2 infeasible; 2 of 4 replicas placed on 3 cards" in shown
    assert any(line.startswith("c, d infeasible gpu-count-short needs 9 ") for line in shown)


def test_a_workload_that_waits_is_told_with_what_free_cards_would_cure(folder):
    _, out, _ = folder.call("plan", job("a", 4, gpus={"models": ["A100"]}), job("b"))

    (row,) = [line for line in lines(out) if line.startswith("a waiting gpu-count-short")]
    assert "needs 4 " in row


def test_wide_shows_every_workload_with_all_details(folder):
    _, out, _ = folder.call("plan", job("a"), job("b"), flags=["-o", "wide"])

    assert lines(out)[0] == "a: fits, 1 of 1 replica placed"
    assert "b: fits, 1 of 1 replica placed" in lines(out)


def test_many_equal_failures_are_one_line(folder):
    _, out, _ = folder.call("plan", *(job(f"w{number}", 9) for number in range(6)))

    assert any(line.startswith("6 workloads: w0, w1, w2 and 3 more infeasible gpu-count-short") for line in lines(out))

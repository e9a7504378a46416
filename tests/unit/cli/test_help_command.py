import pytest

from bayplan.cli.main import run

CASES = {
    "all":       ([], ["--help"]),
    "one":       (["plan"], ["plan", "--help"]),
    "two words": (["config", "check"], ["config", "check", "--help"]),
    "a group":   (["inventory"], ["inventory", "--help"]),
}  # fmt: skip


@pytest.mark.parametrize(("words", "same_as"), CASES.values(), ids=CASES)
def test_help_shows_what_the_flag_shows(words, same_as, capsys):
    assert run(same_as) == 0
    expected = capsys.readouterr()

    assert run(["help", *words]) == 0
    assert capsys.readouterr() == expected


def test_a_command_that_is_not_there_is_told(capsys):
    assert run(["help", "plam"]) == 1
    assert "unknown command 'plam'; did you mean 'plan'?" in capsys.readouterr().err

from bayplan.cli.demo.progress import Lines, progress


def test_a_pipe_gets_a_line_when_a_stage_begins_and_one_when_it_is_done(capsys):
    with progress() as shown:
        assert isinstance(shown, Lines)
        shown.stage("placing", 2)
        shown.done(1)
        shown.done(2, 3)
        shown.done(3)
        shown.done(3)

    out, err = capsys.readouterr()
    assert (out, err) == ("", "placing ...\nplacing: 3 of 3\n")


def test_a_stage_without_steps_is_not_called_done(capsys):
    with progress() as shown:
        shown.stage("placing", 0)
        shown.done(0)

    assert capsys.readouterr().err == "placing ...\n"

"""Exit codes, global flags and how the command ends, in this process where possible."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import bayplan
from bayplan.cli.commands import COMMANDS
from bayplan.cli.main import CommandLine, run

FULL = Path("/dev/full")
BAYPLAN = [sys.executable, "-m", "bayplan"]


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"bayplan {bayplan.__version__}\n"


SPLITS = {
    "nothing":                ([], (), False, False),
    "before the command":     (["--debug", "plugins"], ("plugins",), True, False),
    "after the command":      (["plugins", "--no-color"], ("plugins",), False, True),
    "both":                   (["--no-color", "plugins", "x", "--debug"], ("plugins", "x"), True, True),
    "after -- they are data": (["plugins", "--", "--debug"], ("plugins", "--", "--debug"), False, False),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "words", "debug", "no_color"), SPLITS.values(), ids=SPLITS)
def test_global_flags_may_stand_anywhere(arguments, words, debug, no_color):
    assert CommandLine.split(arguments) == CommandLine(words, debug, no_color)


WANTS = {
    "-o json":        (["plugins", "-o", "json"], True),
    "-ojson":         (["plugins", "-ojson"], True),
    "-o=json":        (["plugins", "-o=json"], True),
    "--output json":  (["plugins", "--output", "json"], True),
    "--output=json":  (["--output=json", "plugins"], True),
    "-o yaml":        (["plugins", "-o", "yaml"], False),
    "-o alone":       (["plugins", "-o"], False),
    "a plugin json":  (["plugins", "json"], False),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "wanted"), WANTS.values(), ids=WANTS)
def test_errors_are_json_where_the_output_is(arguments, wanted):
    assert CommandLine.split(arguments).wants_json is wanted


FIRST_WORDS = sorted({command.words[0] for command in COMMANDS})
MORE = f" and {len(FIRST_WORDS) - 12} more" if len(FIRST_WORDS) > 12 else ""
ALL_COMMANDS = f"there are: {', '.join(FIRST_WORDS[:12])}{MORE}"
CHOICES = 'choose from: "table", "wide", "json", "yaml"'
USAGE = {
    "unknown command":  (["plugin"], "", "unknown command 'plugin'", "did you mean 'plugins'?"),
    "unlike any":       (["zzz"], "", "unknown command 'zzz'", ALL_COMMANDS),
    "unknown flag":     (["--debugg"], "", "unknown option '--debugg'", "did you mean '--debug'?"),
    "unknown in group": (["config", "chek"], "config", "unknown command 'chek'", "did you mean 'check'?"),
    "unknown option":   (["plugins", "--outptu=x"], "plugins", "unknown option: --outptu=x", "did you mean --output?"),
    "bad choice":       (["plugins", "-o", "j"], "plugins", 'invalid value "j" for -o', CHOICES),
    "one too many":     (["plugins", "sample", "more"], "plugins", "nothing is expected at 'more'", ""),
    "one missing":      (["config", "check"], "config check", "FILE is missing", ""),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "command", "message", "hint"), USAGE.values(), ids=USAGE)
def test_a_wrong_command_line_is_an_error_with_place_and_next_step(arguments, command, message, hint, capsys):
    status = run(arguments)

    place = f"bayplan {command}".rstrip()
    steps = f"{hint} (see {place} --help)" if hint else f"see {place} --help"
    assert status == 1
    assert capsys.readouterr() == ("", f"error: {place}: {message}; {steps}\n")


def test_a_wrong_command_line_is_json_where_the_output_would_be(capsys):
    status = run(["config", "chek", "-o", "json"])

    out, err = capsys.readouterr()
    assert (status, out) == (1, "")
    assert json.loads(err) == {
        "error": {
            "code": "usage",
            "place": "bayplan config",
            "message": "unknown command 'chek'",
            "next": "did you mean 'check'? (see bayplan config --help)",
        }
    }


def test_debug_shows_the_traceback_before_the_error(capsys):
    run(["plugins", "nobody", "--debug"])

    err = capsys.readouterr().err
    assert err.startswith("Traceback (most recent call last):\n")
    assert err.splitlines()[-1].startswith("error: bayplan plugins: no plugin is called 'nobody'; ")


def test_help_and_version_import_nothing_heavy():
    code = (
        "import sys; from bayplan.cli.main import run; run(['--help']); run(['--version']);"
        "print(sorted({'numpy', 'rich', 'cyclopts', 'yaml', 'orjson', 'asyncio', 'attrs'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"


def test_a_piped_command_needs_no_rich():
    code = "import sys; from bayplan.cli.main import run; run(['plugins']); sys.exit('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_the_module_is_the_command():
    done = subprocess.run([*BAYPLAN, "--version"], capture_output=True, text=True, check=True)

    assert done.stdout == f"bayplan {bayplan.__version__}\n"


def test_nobody_reading_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*BAYPLAN, "plugins"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)

    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
def test_a_full_disk_is_an_error_without_traceback():
    with FULL.open("w") as full:
        done = subprocess.run([*BAYPLAN, "plugins"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr == "error: output: No space left on device; check the file or the disk\n"


def test_a_closed_stdout_is_no_error():
    done = subprocess.run(
        ["/bin/sh", "-c", '"$0" -m bayplan plugins >&-', sys.executable], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_ends_quietly(tmp_path):
    fifo = tmp_path / "config.yaml"
    os.mkfifo(fifo)
    former = signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it in the background
    command = subprocess.Popen([*BAYPLAN, "config", "check", str(fifo)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    signal.signal(signal.SIGINT, former)
    with fifo.open("w"):  # opens when the command has begun to read
        command.send_signal(signal.SIGINT)
        out, err = command.communicate(timeout=30)

    assert (command.returncode, out, err) == (130, b"", b"")

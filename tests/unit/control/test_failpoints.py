import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bayplan.control.failpoints import FAILPOINTS, VARIABLE, Failpoint
from bayplan.framework.errors import InputError

SOURCES = Path(__file__).parents[3] / "src" / "bayplan"


def test_every_failpoint_is_somewhere_and_every_place_is_listed():
    texts = (path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py"))
    used = {name for text in texts for name in re.findall(r'\bfailpoint\("([^"]+)"\)', text)}

    assert used == set(FAILPOINTS)


@pytest.mark.parametrize(("setting", "passes"), [("store-begun", 0), ("store-begun:1", 0), ("store-begun:3", 2)])
def test_the_process_dies_at_the_nth_pass(setting, passes):
    code = (
        "from bayplan.control.failpoints import failpoint\n"
        "for number in range(5):\n"
        "    failpoint('store-queued')\n"
        "    failpoint('store-begun')\n"
        "    print(number, flush=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={VARIABLE: setting, "PYTHONPATH": str(SOURCES.parent)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == -signal.SIGKILL
    assert done.stdout.split() == [str(number) for number in range(passes)]


def test_at_a_fault_the_process_goes_on():
    armed = Failpoint("disk-full:3")

    assert [armed.passed("disk-full") for _ in range(5)] == [False, False, True, True, True]
    assert not armed.passed("store-begun")


def test_without_a_setting_nothing_happens():
    armed = Failpoint("")
    for name in FAILPOINTS:
        armed.passed(name)


@pytest.mark.parametrize("setting", ["store-begum", "store-begun:0", "store-begun:x", "store-begun:-1"])
def test_settings_that_cannot_be_read(setting):
    with pytest.raises(InputError) as caught:
        Failpoint(setting)

    assert caught.value.place == VARIABLE

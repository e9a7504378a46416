import pytest

from bayplan.signals.scraping.gpu_utilization import gpu_utilization

UTIL = "DCGM_FI_DEV_GPU_UTIL"
CASES = {
    "the busiest of its GPUs": (f'{UTIL}{{gpu="0",pod="a"}} 30\n{UTIL}{{gpu="1",pod="a"}} 70\n', 0.7),
    "GPUs of others": (f'{UTIL}{{gpu="0",pod="a"}} 30\n{UTIL}{{gpu="1",pod="b"}} 70\n', 0.3),
    "an exporter that renames labels": (f'{UTIL}{{exported_pod="b"}} 70\n{UTIL}{{exported_pod="a"}} 20\n', 0.2),
    "no Pod is named": (f'{UTIL}{{gpu="0"}} 30\n{UTIL}{{gpu="1",pod=""}} 50\n', 0.5),
    "more than all": (f'{UTIL}{{pod="a"}} 130\n', 1.0),
    "no number": (f'{UTIL}{{pod="a"}} NaN\n', None),
    "below 0": (f'{UTIL}{{pod="a"}} -1\n', None),
    "nothing": ("", None),
}


@pytest.mark.parametrize(("text", "found"), CASES.values(), ids=CASES)
def test_utilization(text, found):
    assert gpu_utilization(text.encode(), "a") == found


def test_a_rank_of_a_pod():
    assert gpu_utilization(f'{UTIL}{{pod="a"}} 40\n'.encode(), "a-rank-3") == 0.4

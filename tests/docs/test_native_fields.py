"""Every field that our own documents may have is described, and stands in an example that a test reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bayplan.manifests.native.shape import _SHAPE

ROOT = Path(__file__).parents[2]
PAGES = "\n".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("cluster-file.md", "workload.md"))
EXAMPLES = "\n".join(re.findall(r"^```yaml.*?^```$", PAGES, re.MULTILINE | re.DOTALL))
PROSE = re.sub(r"^```.*?^```$", "", PAGES, flags=re.MULTILINE | re.DOTALL)
ASKED = re.compile(r'\.(?:read|need|each|mapping|child|children|named|labels)\(\s*"(\w+)"')
NATIVE = sorted((ROOT / "src" / "bayplan" / "manifests" / "native").glob("*.py"))
OF_KUBERNETES = {"uid", "creationTimestamp", "tolerationSeconds", "metadata", "spec"}
FIELDS = {name for page in NATIVE for name in ASKED.findall(page.read_text(encoding="utf-8"))} | _SHAPE.keys()


@pytest.mark.parametrize("field", sorted(FIELDS - OF_KUBERNETES))
def test_every_field_is_described_and_shown(field):
    assert re.search(rf"\b{field}\b", PROSE), "docs/workload.md or docs/cluster-file.md should describe it"
    assert re.search(rf"\b{field}\b", EXAMPLES), "and show it"


def test_fields_are_found():
    assert {"weights", "replicas", "usdPerHour", "minAvailable", "gpuIds"} <= FIELDS

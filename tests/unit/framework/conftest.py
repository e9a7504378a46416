"""What was read, checked or compiled in one test is forgotten in the next: each test sees the code as it is now."""

import pytest

from bayplan.framework.evaluation.function_text import _parsed
from bayplan.framework.evaluation.groups import _bound
from bayplan.framework.evaluation.written_out import compiled_text
from bayplan.framework.schema import schema_of


@pytest.fixture(autouse=True)
def _no_memory():
    for cached in (_parsed, _bound, compiled_text, schema_of):
        cached.cache_clear()

"""A flag that names one document."""

import pytest

from bayplan.cli.single_file import read_single
from bayplan.framework.errors import InputError


def test_one_document(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("packing: true\n")

    assert read_single(str(file), "--signals").data == {"packing": True}


@pytest.mark.parametrize("text", ["", "a: 1\n---\nb: 2\n"], ids=["none", "two"])
def test_another_number(text, tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text(text)

    with pytest.raises(InputError, match="where one is expected"):
        read_single(str(file), "--signals")

"""Structs as plain data, and back."""

from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from bayplan.gateway.protobuf import writer
from bayplan.gateway.protobuf.reader import WireError
from bayplan.gateway.protobuf.structs import entries, read_struct, write_struct

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.text(max_size=8), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4))
def test_data_comes_back(values):
    assert read_struct(write_struct(values)) == values


@given(st.binary(max_size=80))
def test_any_bytes_are_a_struct_or_refused(data):
    with suppress(WireError):
        assert isinstance(read_struct(data), dict)


def test_nesting_has_an_end():
    data = b""
    for _ in range(100):
        data = writer.message(1, writer.text(1, "a") + writer.message(2, writer.message(5, data)))

    with pytest.raises(WireError, match="nested"):
        read_struct(data)


def test_an_entry_without_a_value_is_nothing():
    assert read_struct(writer.message(1, writer.text(1, "a"))) == {"a": None}
    assert entries(writer.message(2, b"other")) == []

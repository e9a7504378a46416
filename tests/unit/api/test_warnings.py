"""Warnings as headers: one line each, and not more than clients take."""

from bayplan.api.warnings import warning_header, warning_headers


def test_a_warning_is_quoted_as_http_demands():
    assert warning_header('unknown field "spec.x"\n\\é') == '299 - "unknown field \\"spec.x\\" \\\\?"'


def test_few_warnings_are_all_told():
    assert list(warning_headers(["a", "b"])) == ['299 - "a"', '299 - "b"']


def test_of_many_warnings_the_last_header_counts_the_rest():
    headers = list(warning_headers([f"unknown field {number}" for number in range(500)]))

    assert len(headers) == 51
    assert headers[-1].startswith('299 - "450 more warnings')


def test_long_warnings_are_bounded_together():
    headers = list(warning_headers(["x" * 5_000] * 40))

    assert sum(map(len, headers)) < 9_000
    assert "36 more warnings" in headers[-1]

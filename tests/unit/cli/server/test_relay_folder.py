import pytest

from bayplan.cli.server.relay_folder import RelayFolder

ROWS = {
    "nothing was started":       (None, (None, None)),
    "it is starting":            ("", (None, None)),
    "the admin port comes first": ("admin http://a:1\n", ("http://a:1", None)),
    "a line is on its way":      ("admin http://a:1\nready http://a", ("http://a:1", None)),
    "it serves":                 ("admin http://a:1\nready http://a:2\n", ("http://a:1", "http://a:2")),
}  # fmt: skip


@pytest.mark.parametrize(("printed", "urls"), ROWS.values(), ids=ROWS)
def test_urls(tmp_path, printed, urls):
    folder = RelayFolder(tmp_path)
    if printed is not None:
        folder.path.mkdir()
        folder.printed.write_text(printed)

    assert (folder.admin_url(), folder.url()) == urls

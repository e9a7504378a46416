import sqlite3
import subprocess
import sys
import time

import pytest

from bayplan.stores.sqlite import record_archive
from bayplan.stores.sqlite.record_archive import FILE, RecordArchive


def record(number, term=1, **more):
    return {"kind": "Record", "id": f"{term}-{number}", "plan": {"replicas": []}, **more}


def kept(folder, *records):
    """Write records in one life of the archive."""
    archive = RecordArchive(folder)
    for each in records:
        archive.write(each)
    archive.close()
    return archive


def ids(archive, most=100):
    return [each["id"] for each in archive.newest(most)]


def test_an_archive_that_is_empty(tmp_path):
    archive = kept(tmp_path)

    assert (archive.newest(5), archive.read("1-1"), archive.last_term()) == ([], None, 0)


def test_records_survive_a_restart_newest_first(tmp_path):
    kept(tmp_path, record(1), record(2, message="é"))
    archive = kept(tmp_path, record(1, term=2))

    assert ids(archive) == ["2-1", "1-2", "1-1"]
    assert ids(archive, 2) == ["2-1", "1-2"]
    assert archive.read("1-2") == record(2, message="é")


def test_the_last_term_is_the_largest_number_not_the_largest_text(tmp_path):
    archive = kept(tmp_path, record(1, term=9), record(1, term=10), record(99, term=2))

    assert archive.last_term() == 10


def test_a_record_of_the_same_id_replaces_the_older_one(tmp_path):
    archive = kept(tmp_path, record(1, outcome="reserved"), record(2), record(1, outcome="bound"))

    assert archive.read("1-1")["outcome"] == "bound"
    assert ids(archive) == ["1-1", "1-2"]


def test_what_is_changed_after_it_was_written_is_not_changed_in_the_archive(tmp_path):
    archive = RecordArchive(tmp_path)
    mine = record(1, outcome="bound")
    archive.write(mine)
    mine["outcome"] = "lost"
    archive.close()

    assert archive.read("1-1")["outcome"] == "bound"


def test_the_oldest_records_go_first(tmp_path, monkeypatch):
    monkeypatch.setattr(record_archive, "MOST", 10)
    monkeypatch.setattr(record_archive, "_SWEEP_EVERY", 5)
    archive = kept(tmp_path, *map(record, range(40)))

    found = ids(archive)

    assert found[0] == "1-39"
    assert len(found) < 20


def test_a_record_that_is_no_json_costs_only_itself(tmp_path, caplog):
    archive = kept(tmp_path, record(1), record(2, spoilt=object()), record(3))

    assert ids(archive) == ["1-3", "1-1"]
    assert "1-2 is not kept" in caplog.text


def spoil_beginning(file):
    file.write_bytes(b"this is no database" * 500)


def spoil_pages(file):
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)


@pytest.mark.parametrize("spoil", [spoil_beginning, spoil_pages])
def test_a_damaged_file_is_begun_anew(tmp_path, caplog, spoil):
    kept(tmp_path, *(record(number, padding="x" * 500) for number in range(200)))
    spoil(tmp_path / FILE)

    archive = RecordArchive(tmp_path)
    assert archive.newest(5) == []
    archive.write(record(1, term=2))
    archive.close()

    assert ids(archive) == ["2-1"]
    assert "is damaged" in caplog.text


def test_a_row_that_is_damaged_is_left_out(tmp_path, caplog):
    archive = kept(tmp_path, record(1), record(2))
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("UPDATE records SET record = x'00' WHERE id = '1-1'")
    connection.close()

    assert archive.read("1-1") is None
    assert ids(archive) == ["1-2"]
    assert "is damaged" in caplog.text


def test_a_place_that_cannot_be_written_costs_records_and_nothing_else(tmp_path, caplog):
    (tmp_path / FILE).mkdir()
    archive = RecordArchive(tmp_path)
    archive.write(record(1))
    wait_for(lambda: archive._failing)
    archive.write(record(2))
    wait_for(lambda: not archive._queue)
    (tmp_path / FILE).rmdir()
    archive.write(record(3))
    archive.close()

    assert ids(archive)[0] == "1-3"
    assert caplog.text.count("are not kept") == 1


def wait_for(condition):
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


FULL = """
import logging, resource, sys
from pathlib import Path
from bayplan.stores.sqlite.record_archive import RecordArchive
logging.basicConfig(level=logging.WARNING)
archive = RecordArchive(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
for number in range(200):
    archive.write({"id": f"2-{number}", "padding": [str(each * number) for each in range(900)]})
archive.close()
print(len(archive.newest(500)))
"""


def test_a_full_disk_keeps_what_was_there(tmp_path):
    kept(tmp_path, record(1), record(2))

    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )

    assert int(done.stdout) >= 2
    assert "are not kept" in done.stderr
    assert "damaged" not in done.stderr
    assert {"1-1", "1-2"} <= set(ids(kept(tmp_path)))

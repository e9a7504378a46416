"""Every version of every object that a data folder keeps, read from a copy without the code of the store.

The copy is made while no server runs: what it holds is what a crash leaves.
"""

import json
import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from bayplan.stores.sqlite.integrity import problems


@dataclass(frozen=True)
class Version:
    """One row of the log."""

    revision: int
    collection: str
    namespace: str
    name: str
    change: str
    document: dict

    @property
    def goes(self):
        """Whether the object is gone, or is being deleted."""
        return self.change == "DELETED" or is_going(self.document)

    @property
    def key(self):
        return self.document["kind"], self.name

    @property
    def metadata(self):
        return self.document["metadata"]


def is_going(document):
    """Whether an object is being deleted."""
    return "deletionTimestamp" in document["metadata"]


class Copy:
    """The state of a folder at the moment of a kill; use it in a `with`."""

    def __init__(self, folder, scratch):
        self._scratch = Path(scratch)
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._scratch.mkdir()
        for suffix in ("", "-wal"):
            file = folder / f"bayplan.db{suffix}"
            if file.exists():
                shutil.copy(file, self._scratch / file.name)

    def __enter__(self):
        self._connection = sqlite3.connect(self._scratch / "bayplan.db")
        return self

    def __exit__(self, *_):
        self._connection.close()

    def problems(self):
        return problems(self._scratch / "bayplan.db")

    def versions(self, since):
        """All changes after a revision, in order."""
        asked = "SELECT revision, collection, namespace, name, change, object FROM revisions WHERE revision > ?"
        for *row, text in self._connection.execute(f"{asked} ORDER BY revision", (since,)):
            yield Version(*row, json.loads(text))

    def objects(self):
        """All objects as they are."""
        asked = "SELECT r.object FROM objects o JOIN revisions r ON r.revision = o.revision"
        return [json.loads(text) for (text,) in self._connection.execute(asked)]

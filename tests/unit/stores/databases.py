"""Databases for the tests of the store: filled, spoiled, looked into."""

import asyncio
import sqlite3
from pathlib import Path

from bayplan.control.store import Collection, Key
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf

FORMATS = Path(__file__).parents[2] / "fixtures" / "store"
MAPS = Collection("", "configmaps", has_status=False)


def run(folder, scenario, **options):
    """Open the store of a folder, let a scenario use it, close it."""

    async def whole():
        async with EmbeddedStore(SqliteShelf(folder, **options)) as store:
            return await asyncio.wait_for(scenario(store), 60)

    return asyncio.run(whole())


def config_map(name, value="1"):
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"value": value}}


def where(name):
    return Key(MAPS, "default", name)


def fill(folder, count=20, **options):
    """Objects m0, m1, …; the first was changed twice and the last deleted."""

    async def scenario(store):
        await asyncio.gather(*(store.create(MAPS, config_map(f"m{number}")) for number in range(count)))
        for value in "23":
            await store.update(where("m0"), config_map("m0", value))
        await store.delete(where(f"m{count - 1}"))
        return (await store.list(MAPS)).revision

    return run(folder, scenario, **options)


def content(folder):
    """Every object by its name."""

    async def scenario(store):
        return {each.document()["metadata"]["name"]: each.text for each in (await store.list(MAPS)).items}

    return run(folder, scenario)


def execute(folder, *statements):
    """Change the database behind the program's back."""
    connection = sqlite3.connect(folder / "bayplan.db", isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def write_format(path, version):
    """A database as the program of that format wrote it."""
    connection = sqlite3.connect(path)
    connection.executescript((FORMATS / f"format-{version}.sql").read_text(encoding="utf-8"))
    connection.close()

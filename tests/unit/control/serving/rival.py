"""A scheduler in a process of its own: for every namespace that it is told on stdin it places the models there."""

import asyncio
import sys

from bayplan.control.serving.scheduling import schedule
from bayplan.library.serving.serving_planner import serving_decider
from bayplan.stores.server_writes import ServerWrites


async def main(url):
    store, decider = ServerWrites(lambda: (url, "", "")), serving_decider()
    print("ready", flush=True)
    while namespace := (await asyncio.to_thread(sys.stdin.readline)).strip():
        await schedule(store, namespace, decider)
        print("done", flush=True)
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))

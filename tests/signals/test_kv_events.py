"""KV events from real publishers, over ZMQ on the loopback."""

import asyncio
import threading
from contextlib import asynccontextmanager

import msgspec
import pytest
import zmq

from bayplan.framework.errors import InputError
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.signals.kv_events.settings import KvEventSettings
from bayplan.signals.kv_events.subscriptions import KvSubscriptions
from unit.signals.worlds import HeardRouter

END = b"\xff" * 8


class Engine:
    """Publishes as vLLM does: with numbers, and with a second socket for what was missed."""

    def __init__(self, topic="kv@a@chat", port=0, replay_port=0):
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.PUB)
        self.port = self._bound(self._socket, port)
        self._router = self._context.socket(zmq.ROUTER)
        self.replay_port = self._bound(self._router, replay_port)
        self._topic = topic.encode()
        self.kept = []
        self._next = 0
        self._is_closed = threading.Event()
        self._thread = threading.Thread(target=self._replay)
        self._thread.start()

    @staticmethod
    def _bound(socket, port):
        socket.setsockopt(zmq.LINGER, 0)
        socket.bind(f"tcp://127.0.0.1:{port or '*'}")
        return int(socket.getsockopt(zmq.LAST_ENDPOINT).rstrip(b"\0").rpartition(b":")[2])

    def store(self, *hashes, sent=True):
        """Publish stored blocks; with `sent` False the message is lost on the way."""
        number, self._next = self._next, self._next + 1
        events = [["BlockStored", [each], None, list(range(16)), 16, None, "GPU"] for each in hashes]
        payload = msgspec.msgpack.encode([asyncio.get_running_loop().time(), events, 0])
        self.kept.append((number, payload))
        if sent:
            self._socket.send_multipart([self._topic, number.to_bytes(8, "big"), payload])

    def _replay(self):
        while not self._is_closed.is_set():
            if not self._router.poll(20):
                continue
            who, _, first = self._router.recv_multipart()
            for number, payload in self.kept:
                if number >= int.from_bytes(first, "big"):
                    self._router.send_multipart([who, b"", number.to_bytes(8, "big"), payload])
            self._router.send_multipart([who, b"", END, b""])

    def close(self):
        self._is_closed.set()
        self._thread.join()
        self._context.destroy(0)


@asynccontextmanager
async def listening(engine, *, replays=False, name="a"):
    router = HeardRouter()
    settings = KvEventSettings(port=engine.port, replay_port=engine.replay_port if replays else None)
    subscriptions = KvSubscriptions(router, settings)
    subscriptions.up(Endpoint(name, "127.0.0.1"))
    try:
        yield router, subscriptions
    finally:
        await subscriptions.close()


@pytest.fixture
def engine():
    found = Engine()
    yield found
    found.close()


def hashes(router):
    return [event.kind if event.kind == "cleared" else event.block_hashes[0] for _, event in router.events]


async def joined(engine, router):
    """Publish until the subscription is there: ZMQ drops what is published before."""
    async with asyncio.timeout(20):
        while not router.events:
            engine.store(0)
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    router.events.clear()


def test_events_come_in_order(engine):
    async def run():
        async with listening(engine) as (router, subscriptions):
            await joined(engine, router)
            for number in range(1, 1001):
                engine.store(number)
            await router.until(lambda router: len(router.events) == 1000)
            assert hashes(router) == list(range(1, 1001))
            name, event = router.events[0]
            assert (name, event.model, event.medium, event.block_size) == ("a", "chat", "gpu", 16)
            assert subscriptions.states["a"].missed == 0

    asyncio.run(run())


def test_lost_messages_are_replayed(engine):
    async def run():
        async with listening(engine, replays=True) as (router, subscriptions):
            await joined(engine, router)
            engine.store(1, sent=False)
            engine.store(2, sent=False)
            for number in range(3, 50):
                engine.store(number)
            await router.until(lambda router: 49 in hashes(router))
            assert hashes(router) == list(range(1, 50))
            assert subscriptions.states["a"].missed == 0

    asyncio.run(run())


def test_lost_messages_that_nobody_keeps_are_counted(engine):
    async def run():
        async with listening(engine) as (router, subscriptions):
            await joined(engine, router)
            engine.store(1, sent=False)
            engine.store(2)
            await router.until(lambda router: 2 in hashes(router))
            assert subscriptions.states["a"].missed == 1

    asyncio.run(run())


def test_what_was_published_before_anybody_listened(engine):
    async def run():
        for number in range(5):
            engine.store(number, sent=False)
        async with listening(engine, replays=True) as (router, _):
            await router.until(lambda router: len(router.events) == 5)
            assert hashes(router) == [0, 1, 2, 3, 4]

    asyncio.run(run())


def test_an_engine_that_is_restarted(engine):
    async def run():
        async with listening(engine, replays=True) as (router, subscriptions):
            await joined(engine, router)
            engine.store(7)
            await router.until(lambda router: 7 in hashes(router))
            router.events.clear()
            await asyncio.to_thread(engine.close)
            again = Engine(port=engine.port, replay_port=engine.replay_port)
            try:
                async with asyncio.timeout(30):
                    while not router.events:
                        again.store(100)
                        await asyncio.sleep(0.05)
            finally:
                await asyncio.to_thread(again.close)
            assert hashes(router)[0] == "cleared"
            assert set(hashes(router)[1:]) <= {100}
            assert subscriptions.states["a"].restarts == 1

    asyncio.run(run())


def test_nonsense_between_events(engine):
    async def run():
        async with listening(engine) as (router, subscriptions):
            await joined(engine, router)
            engine._socket.send_multipart([b"kv@a@chat", b"x"])
            engine._socket.send_multipart([b"kv@a@chat", b"\0" * 8, b"\xc1"])
            engine.store(1)
            await router.until(lambda router: 1 in hashes(router))
            assert subscriptions.states["a"].unreadable == 2

    asyncio.run(run())


def test_other_topics_are_not_heard():
    async def run():
        engine = Engine(topic="other@a@chat")
        try:
            async with listening(engine) as (router, _):
                for number in range(20):
                    engine.store(number)
                    await asyncio.sleep(0.005)
                assert router.events == []
        finally:
            await asyncio.to_thread(engine.close)

    asyncio.run(run())


def test_an_endpoint_that_left_is_heard_no_more(engine):
    async def run():
        async with listening(engine) as (router, subscriptions):
            await joined(engine, router)
            subscriptions.down("a")
            engine.store(1)
            await asyncio.sleep(0.05)
            assert router.events == []
            assert subscriptions.states == {}

    asyncio.run(run())


def test_engines_that_connect_to_us():
    async def run():
        router = HeardRouter()
        subscriptions = KvSubscriptions(router, KvEventSettings(port=None, bind="tcp://127.0.0.1:*"))
        subscriptions.up(Endpoint("a", "10.0.0.1"))
        subscriptions.up(Endpoint("b", "10.0.0.2"))
        context = zmq.Context()
        socket = context.socket(zmq.PUB)
        socket.connect(subscriptions.address)
        batch = msgspec.msgpack.encode([1.0, [["AllBlocksCleared"]]])
        try:
            async with asyncio.timeout(20):
                number = 0
                while {name for name, _ in router.events} < {"a", "b"}:
                    for topic in (b"kv@a@chat", b"kv@10.0.0.2@chat", b"kv@stranger@chat"):
                        socket.send_multipart([topic, number.to_bytes(8, "big"), batch])
                    number += 1
                    await asyncio.sleep(0.01)
        finally:
            context.destroy(0)
            await subscriptions.close()

    asyncio.run(run())


def test_an_address_that_cannot_be_used():
    async def run():
        router = HeardRouter()
        with pytest.raises(InputError, match="cannot be used"):
            KvSubscriptions(router, KvEventSettings(port=None, bind="tcp://192.0.2.1:5557"))

    asyncio.run(run())

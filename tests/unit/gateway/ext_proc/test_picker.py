"""A picker in a loop: its ports, its health, its figures, its stop; gateways are played by `h2`."""

import asyncio
import json
import socket
import ssl
from types import SimpleNamespace

import h2.connection
import h2.events
import pytest

from bayplan.framework.errors import InputError
from bayplan.gateway.ext_proc.picker import Picker, PickerSettings
from bayplan.gateway.ext_proc.self_signed import self_signed_tls
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.router import Router
from unit.gateway.ext_proc.gateway_side import BODY, HEADERS, STREAMED, Reply, _messages, body, http_headers, message

PROCESS = "/envoy.service.ext_proc.v3.ExternalProcessor/Process"
CHECK = "/grpc.health.v1.Health/Check"


class Gateway:
    """One connection; a call is sent whole, and read until it ends or has said enough."""

    def __init__(self, reader, writer):
        self._reader, self._writer = reader, writer
        self._h2 = h2.connection.H2Connection()
        self._h2.initiate_connection()

    @classmethod
    async def connect(cls, port=None, path=None, tls=None):
        if path is not None:
            return cls(*await asyncio.open_unix_connection(str(path)))
        return cls(
            *await asyncio.open_connection("127.0.0.1", port, ssl=tls, server_hostname="localhost" if tls else None)
        )

    async def call(self, path, *messages, ends=True):
        stream = self._h2.get_next_available_stream_id()
        self._h2.send_headers(
            stream,
            [
                (":method", "POST"),
                (":scheme", "http"),
                (":path", path),
                (":authority", "x"),
                ("content-type", "application/grpc"),
            ],
        )
        for each in messages:
            self._h2.send_data(stream, b"\0" + len(each).to_bytes(4, "big") + each)
        if ends:
            self._h2.end_stream(stream)
        found = SimpleNamespace(data=b"", status=None, stream=stream)
        while found.status is None and not (not ends and found.data):
            self._writer.write(self._h2.data_to_send())
            data = await asyncio.wait_for(self._reader.read(65_536), 5)
            assert data, "the picker has closed the connection"
            for event in self._h2.receive_data(data):
                if isinstance(event, h2.events.DataReceived):
                    found.data += event.data
                elif isinstance(event, (h2.events.TrailersReceived, h2.events.ResponseReceived)):
                    found.status = dict(event.headers).get(b"grpc-status", found.status)
        return found

    def close(self):
        self._writer.close()


def run(scenario, **settings):
    async def start():
        picker = Picker(Router(), PickerSettings(drain_s=0.3, **settings))
        for number in (1, 2):
            picker.desk.endpoint_up(Endpoint(f"e{number}", f"10.0.0.{number}"))
        try:
            await scenario(picker)
        finally:
            await picker.stop()

    asyncio.run(asyncio.wait_for(start(), 20))


ASK = [
    message("request_headers", http_headers(HEADERS), modes=STREAMED),
    message("request_body", body(BODY, ends=True)),
]


def test_a_gateway_asks(tmp_path):
    async def scenario(picker):
        picker.ready()
        port = await picker.server.listen("127.0.0.1", 0)
        await picker.server.listen_at(tmp_path / "picker.sock")
        for where in ({"port": port}, {"path": tmp_path / "picker.sock"}):
            gateway = await Gateway.connect(**where)
            found = await gateway.call(PROCESS, *ASK, ends=False)
            reply = Reply(_messages(found.data)[0])
            assert reply.headers["x-gateway-destination-endpoint"] in ("10.0.0.1:8000", "10.0.0.2:8000")
            assert picker.server.open_streams == 1
            gateway.close()
            while picker.server.connections:
                await asyncio.sleep(0.01)
        assert all(requests == 0 for requests, _ in picker.desk.inflight().values())

    run(scenario)
    assert (tmp_path / "picker.sock").stat().st_mode & 0o077 == 0


def test_scores_are_told_where_they_are_wanted():
    async def scenario(picker):
        gateway = await Gateway.connect(await picker.server.listen("127.0.0.1", 0))
        found = await gateway.call(PROCESS, *ASK, ends=False)
        told = Reply(_messages(found.data)[0]).metadata["envoy.lb"]["x-gateway-destination-endpoint-scores"]
        assert set(told) == {"10.0.0.1:8000", "10.0.0.2:8000"}
        gateway.close()

    run(scenario, tells_scores=True)


def test_health_before_and_after_it_is_ready_and_when_it_stops():
    async def scenario(picker):
        gateway = await Gateway.connect(await picker.server.listen("127.0.0.1", 0, health_only=True))

        async def ask(service):
            return (await gateway.call(CHECK, b"\x0a" + bytes((len(service),)) + service.encode())).data[5:]

        assert await ask("liveness") == b"\x08\x01"
        assert await ask("readiness") == b"\x08\x02"
        picker.ready()
        assert await ask("readiness") == b"\x08\x01"
        assert await ask("envoy.service.ext_proc.v3.ExternalProcessor") == b"\x08\x01"
        picker.is_draining = True
        assert await ask("readiness") == b"\x08\x02"
        assert (await gateway.call(PROCESS)).status == b"12"
        gateway.close()

    run(scenario)


def test_tls_of_its_own():
    async def scenario(picker):
        picker.ready()
        port = await picker.server.listen("127.0.0.1", 0, tls=self_signed_tls("127.0.0.1"))
        trusting = ssl.create_default_context()
        trusting.check_hostname = False
        trusting.verify_mode = ssl.CERT_NONE
        trusting.set_alpn_protocols(["h2"])
        gateway = await Gateway.connect(port, tls=trusting)
        assert (await gateway.call(CHECK, b"")).data[5:] == b"\x08\x01"
        gateway.close()

    run(scenario)


def test_operators_see_streams_and_endpoints():
    async def scenario(picker):
        gateway = await Gateway.connect(await picker.server.listen("127.0.0.1", 0))
        await gateway.call(PROCESS, *ASK, ends=False)
        port = await picker.start_admin("127.0.0.1", 0)

        async def get(path):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())
            answer = await asyncio.wait_for(reader.read(), 5)
            writer.close()
            return answer.partition(b"\r\n\r\n")[2]

        assert b"llm_d_epp_extproc_streams_inflight 1" in await get("/metrics")
        shown = json.loads(await get("/endpoints"))["endpoints"]
        assert sum(each["inflight"]["requests"] for each in shown) == 1
        gateway.close()

    run(scenario)


def test_a_stop_closes_what_does_not_end_by_itself():
    async def scenario(picker):
        gateway = await Gateway.connect(await picker.server.listen("127.0.0.1", 0))
        await gateway.call(PROCESS, *ASK, ends=False)
        await picker.stop()
        assert picker.server.connections == 0
        assert all(requests == 0 for requests, _ in picker.desk.inflight().values())
        gateway.close()

    run(scenario)


def test_a_port_that_is_in_use():
    async def scenario(picker):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            with pytest.raises(InputError, match="cannot listen on"):
                await picker.server.listen("127.0.0.1", taken.getsockname()[1])

    run(scenario)

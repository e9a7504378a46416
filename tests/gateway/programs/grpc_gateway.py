"""A gateway made of grpcio and Envoy's own messages, which others wrote; prints {scenario: problem} as JSON.

    python grpc_gateway.py ADDRESS [CERTIFICATE]

Each scenario talks to a picker as a gateway would, or as none would.
"""

import json
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from envoy.config.core.v3 import base_pb2
from envoy.extensions.filters.http.ext_proc.v3 import processing_mode_pb2
from envoy.service.ext_proc.v3 import external_processor_pb2 as messages, external_processor_pb2_grpc as services
from google.protobuf import struct_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc

DESTINATION = "x-gateway-destination-endpoint"
LONGEST_S = 20
BODY = json.dumps({"model": "org/model", "prompt": "hello there"}).encode()
Mode = processing_mode_pb2.ProcessingMode
STREAMED, BUFFERED, DUPLEX = Mode.STREAMED, Mode.BUFFERED, Mode.FULL_DUPLEX_STREAMED


def headers(values, *, ends=False):
    found = [base_pb2.HeaderValue(key=name, raw_value=value.encode()) for name, value in values.items()]
    return messages.HttpHeaders(headers=base_pb2.HeaderMap(headers=found), end_of_stream=ends)


def request_headers(mode, *, ends=False, answers=Mode.NONE, path="/v1/completions", subset=None, **more):
    values = {":method": "POST", ":path": path, ":authority": "here", **more}
    request = messages.ProcessingRequest(request_headers=headers(values, ends=ends))
    request.protocol_config.request_body_mode = mode
    request.protocol_config.response_body_mode = answers
    request.protocol_config.send_body_without_waiting_for_header_response = mode == STREAMED
    if subset is not None:
        hint = struct_pb2.Struct()
        hint.update({"x-gateway-destination-endpoint-subset": subset})
        request.metadata_context.filter_metadata["envoy.lb.subset_hint"].CopyFrom(hint)
    return request


def body(content, *, ends=True):
    return messages.ProcessingRequest(request_body=messages.HttpBody(body=content, end_of_stream=ends))


def answer_headers(status="200", *, ends=False):
    return messages.ProcessingRequest(response_headers=headers({":status": status}, ends=ends))


def answer_body(content, *, ends=True):
    return messages.ProcessingRequest(response_body=messages.HttpBody(body=content, end_of_stream=ends))


class Stream:
    """One stream: messages go out when they are put, and come in when they are asked for."""

    def __init__(self, stub):
        self._out = []
        self._changed = threading.Condition()
        self._is_over = False
        self.call = stub.Process(self._requests(), timeout=LONGEST_S)

    def _requests(self):
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._out or self._is_over)
                if not self._out:
                    return
                found = self._out.pop(0)
            yield found

    def put(self, *requests):
        with self._changed:
            self._out += requests
            self._changed.notify()
        return self

    def take(self):
        return next(self.call)

    def broken_off(self):
        """The status with which the other side ends the stream."""
        try:
            list(self.call)
        except grpc.RpcError as problem:
            return problem.code()
        return self.call.code()

    def end(self):
        """Close our side; the status of the other."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        assert list(self.call) == []
        return self.call.code()


def destination(common):
    (option,) = [each for each in common.header_mutation.set_headers if each.header.key == DESTINATION]
    assert option.append_action == base_pb2.HeaderValueOption.OVERWRITE_IF_EXISTS_OR_ADD
    return option.header.raw_value.decode()


def metadata(reply):
    return reply.dynamic_metadata["envoy.lb"][DESTINATION]


def streamed(stub):
    stream = Stream(stub).put(request_headers(STREAMED), body(BODY))
    reply = stream.take()
    assert reply.WhichOneof("response") == "request_headers"
    assert destination(reply.request_headers.response) == metadata(reply)
    assert stream.take().WhichOneof("response") == "request_body"
    stream.put(answer_headers())
    assert stream.take().WhichOneof("response") == "response_headers"
    assert stream.end() == grpc.StatusCode.OK


def buffered(stub):
    stream = Stream(stub).put(request_headers(BUFFERED))
    assert stream.take().WhichOneof("response") == "request_headers"
    stream.put(body(BODY))
    reply = stream.take()
    assert destination(reply.request_body.response) == metadata(reply)
    assert stream.end() == grpc.StatusCode.OK


def full_duplex(stub):
    content = json.dumps({"model": "org/model", "prompt": "word " * 44_000}).encode()
    stream = Stream(stub).put(request_headers(DUPLEX, answers=DUPLEX))
    stream.put(*(body(content[at : at + 65_536], ends=False) for at in range(0, len(content), 65_536)), body(b""))
    reply = stream.take()
    assert destination(reply.request_headers.response) == metadata(reply)
    assert reply.request_headers.response.clear_route_cache
    back = b""
    while True:
        piece = stream.take().request_body.response.body_mutation.streamed_response
        assert len(piece.body) <= 62_000
        back += piece.body
        if piece.end_of_stream:
            break
    assert back == content
    stream.put(answer_headers(), answer_body(b"one", ends=False), answer_body(b"two"))
    assert stream.take().WhichOneof("response") == "response_headers"
    found = [stream.take().response_body.response.body_mutation.streamed_response for _ in range(2)]
    assert [(each.body, each.end_of_stream) for each in found] == [(b"one", False), (b"two", True)]
    assert stream.end() == grpc.StatusCode.OK


def headers_only(stub):
    stream = Stream(stub).put(request_headers(DUPLEX, ends=True, path="/v1/models"))
    assert metadata(stream.take())
    assert stream.end() == grpc.StatusCode.OK


def subset(stub):
    stream = Stream(stub).put(request_headers(STREAMED, subset=["127.0.0.1:2"]), body(BODY))
    assert metadata(stream.take()) == "127.0.0.1:2"
    stream.call.cancel()
    stream = Stream(stub).put(request_headers(STREAMED, subset=[]), body(BODY))
    reply = stream.take().immediate_response
    assert reply.status.code == 503
    assert {each.header.key: each.header.raw_value for each in reply.headers.set_headers}[
        "x-llm-d-request-dropped-reason"
    ] == b"rejected-no-endpoints"
    assert stream.end() == grpc.StatusCode.OK


def refusals(stub):
    stream = Stream(stub).put(request_headers(DUPLEX), body(b"{"))
    reply = stream.take().immediate_response
    assert reply.status.code == 400
    assert json.loads(reply.body)["error"]["type"] == "bad-request"
    stream.put(body(b"more"))
    assert stream.end() == grpc.StatusCode.OK


def many_at_once(stub):
    def one(number):
        content = json.dumps({"model": "org/model", "prompt": f"{number} " * 500}).encode()
        stream = Stream(stub).put(request_headers(STREAMED), body(content))
        found = metadata(stream.take())
        stream.take()
        stream.put(answer_headers(ends=True))
        stream.take()
        assert stream.end() == grpc.StatusCode.OK
        return found

    with ThreadPoolExecutor(32) as pool:
        found = list(pool.map(one, range(400)))
    assert set(found) <= {f"127.0.0.1:{port}" for port in (1, 2, 3)}


def cancelled(stub):
    for _ in range(50):
        stream = Stream(stub).put(request_headers(DUPLEX), body(BODY, ends=False))
        stream.call.cancel()
    streamed(stub)


def violations(stub):
    for requests in ([body(BODY)], [messages.ProcessingRequest()], [request_headers(DUPLEX), request_headers(DUPLEX)]):
        stream = Stream(stub).put(*requests)
        assert stream.broken_off() == grpc.StatusCode.INVALID_ARGUMENT


def code_of(ask):
    """The status with which a call fails."""
    try:
        ask()
    except grpc.RpcError as problem:
        return problem.code()
    return grpc.StatusCode.OK


def hostile_bytes(stub, channel):
    raw = channel.stream_stream("/envoy.service.ext_proc.v3.ExternalProcessor/Process")

    def said(content):
        return code_of(lambda: list(raw(iter([content]), timeout=LONGEST_S)))

    for content in (b"\xff" * 100, b"\x12\xff\xff\xff\x7f", bytes(range(256))):
        assert said(content) == grpc.StatusCode.INVALID_ARGUMENT, content[:10]
    assert said(bytes(64 * 1024 * 1024)) == grpc.StatusCode.RESOURCE_EXHAUSTED
    unknown = channel.unary_unary("/envoy.service.ext_proc.v3.ExternalProcessor/Other")
    assert code_of(lambda: unknown(b"", timeout=LONGEST_S)) == grpc.StatusCode.UNIMPLEMENTED
    streamed(stub)


def health(channel):
    stub = health_pb2_grpc.HealthStub(channel)
    for service in ("", "liveness", "readiness", "envoy.service.ext_proc.v3.ExternalProcessor"):
        answer = stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=LONGEST_S)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING, service
    other = health_pb2.HealthCheckRequest(service="other")
    assert code_of(lambda: stub.Check(other, timeout=LONGEST_S)) == grpc.StatusCode.NOT_FOUND
    watch = stub.Watch(health_pb2.HealthCheckRequest(service="readiness"), timeout=LONGEST_S)
    assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
    watch.cancel()


def compressed(stub):
    requests = iter([request_headers(DUPLEX), body(b"x" * 100_000)])
    call = stub.Process(requests, timeout=LONGEST_S, compression=grpc.Compression.Gzip)
    assert code_of(lambda: list(call)) == grpc.StatusCode.UNIMPLEMENTED


def main(address, certificate=None):
    options = [("grpc.max_send_message_length", -1), ("grpc.ssl_target_name_override", "localhost")]
    if certificate is None:
        channel = grpc.insecure_channel(address, options)
    else:
        credentials = grpc.ssl_channel_credentials(Path(certificate).read_bytes())
        channel = grpc.secure_channel(address, credentials, options)
    stub = services.ExternalProcessorStub(channel)
    scenarios = {
        "streamed": lambda: streamed(stub),
        "buffered": lambda: buffered(stub),
        "full duplex": lambda: full_duplex(stub),
        "headers only": lambda: headers_only(stub),
        "subset": lambda: subset(stub),
        "refusals": lambda: refusals(stub),
        "many at once": lambda: many_at_once(stub),
        "cancelled": lambda: cancelled(stub),
        "violations": lambda: violations(stub),
        "hostile bytes": lambda: hostile_bytes(stub, channel),
        "health": lambda: health(channel),
        "compressed": lambda: compressed(stub),
    }
    found = {}
    for name, scenario in scenarios.items():
        try:
            scenario()
        except Exception:
            found[name] = traceback.format_exc(limit=4)
        else:
            found[name] = ""
    channel.close()
    print(json.dumps(found))


main(*sys.argv[1:])

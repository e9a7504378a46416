"""Bodies that are framed anew."""

from bayplan.gateway.relay.messages.model_name import ModelName
from bayplan.gateway.relay.messages.reframing import Reframer


def test_as_chunks():
    reframer = Reframer(None, in_chunks=True)

    assert reframer.piece(b"hello world, hello") + reframer.piece(b"") + reframer.end() == (
        b"12\r\nhello world, hello\r\n0\r\n\r\n"
    )


def test_as_it_is():
    reframer = Reframer(None, in_chunks=False)

    assert reframer.piece(b"hello") + reframer.end() == b"hello"


def test_what_names_kept_back_comes_at_the_end():
    reframer = Reframer(ModelName("a", "b", is_stream=False), in_chunks=True)

    assert reframer.piece(b'{"model":"a"}') + reframer.end() == b'd\r\n{"model":"b"}\r\n0\r\n\r\n'

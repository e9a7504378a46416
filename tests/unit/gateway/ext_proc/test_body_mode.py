"""What follows from the modes of a gateway."""

import pytest

from bayplan.gateway.ext_proc.body_mode import DUPLEX, BodyMode, Modes

READS = {
    "full duplex": (DUPLEX, True),
    "buffered": (Modes(BodyMode.BUFFERED), True),
    "streamed at once": (Modes(BodyMode.STREAMED, body_comes_unasked=True), True),
    "streamed after the headers": (Modes(BodyMode.STREAMED), False),
    "none": (Modes(), False),
    "perhaps cut": (Modes(BodyMode.BUFFERED_PARTIAL), False),
}


@pytest.mark.parametrize(("modes", "expected"), READS.values(), ids=READS)
def test_whether_a_body_comes_in_time(modes, expected):
    assert modes.reads_body is expected


def test_what_else_follows():
    assert (DUPLEX.is_duplex, DUPLEX.answers_in_duplex, DUPLEX.hides_answers, DUPLEX.is_known) == (
        True,
        True,
        False,
        True,
    )
    assert Modes().hides_answers
    assert not Modes(BodyMode.GRPC).is_known
    assert not Modes(BodyMode.STREAMED, BodyMode.GRPC).is_known
    assert Modes(BodyMode.BUFFERED).is_buffered

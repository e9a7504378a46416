"""Room for bodies is taken and given back."""

from bayplan.gateway.ext_proc.body_room import BodyRoom


def test_room_is_given_back():
    room = BodyRoom(body_bytes=10, bodies_bytes=15)

    assert room.take(10)
    assert not room.take(6)
    assert room.take(5)
    room.give_back(10)
    assert room.held_bytes == 5
    assert room.take(10)

"""The settings of a peer, which bound what we may send."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from bayplan.gateway.http2 import codes
from bayplan.gateway.http2.codes import Reason
from bayplan.gateway.http2.faults import ConnectionFault

_SETTING: Final = struct.Struct(">HI")


@dataclass(slots=True)
class PeerSettings:
    """What a peer told us, with the values that hold until it does.

    The size of its table does not matter here, because we never use one. Pushes do not either, because we make none.
    """

    window_bytes: int = codes.DEFAULT_WINDOW
    frame_bytes: int = codes.SMALLEST_MAX_FRAME

    def read(self, payload: bytes) -> None:
        """Take the payload of a SETTINGS frame; numbers that nobody knows are ignored."""
        if len(payload) % _SETTING.size:
            raise ConnectionFault(Reason.FRAME_SIZE_ERROR, f"SETTINGS of {len(payload)} bytes")
        for number, value in _SETTING.iter_unpack(payload):
            if number == codes.ENABLE_PUSH and value > 1:
                raise ConnectionFault(Reason.PROTOCOL_ERROR, f"ENABLE_PUSH is {value}")
            if number == codes.INITIAL_WINDOW_SIZE:
                if value > codes.LARGEST_WINDOW:
                    raise ConnectionFault(Reason.FLOW_CONTROL_ERROR, f"INITIAL_WINDOW_SIZE is {value}")
                self.window_bytes = value
            elif number == codes.MAX_FRAME_SIZE:
                if not codes.SMALLEST_MAX_FRAME <= value <= codes.LARGEST_MAX_FRAME:
                    raise ConnectionFault(Reason.PROTOCOL_ERROR, f"MAX_FRAME_SIZE is {value}")
                self.frame_bytes = value

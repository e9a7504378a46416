"""The static table of RFC 7541, appendix A: headers that both sides know by number, counted from 1."""

from __future__ import annotations

from typing import Final

_VALUES: Final = {
    ":method": ("GET", "POST"),
    ":path": ("/", "/index.html"),
    ":scheme": ("http", "https"),
    ":status": ("200", "204", "206", "304", "400", "404", "500"),
    "accept-encoding": ("gzip, deflate",),
}
_NAMES: Final = """
    :authority :method :path :scheme :status accept-charset accept-encoding accept-language accept-ranges accept
    access-control-allow-origin age allow authorization cache-control content-disposition content-encoding
    content-language content-length content-location content-range content-type cookie date etag expect expires from
    host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified link location
    max-forwards proxy-authenticate proxy-authorization range referer refresh retry-after server set-cookie
    strict-transport-security transfer-encoding user-agent vary via www-authenticate
"""

STATIC_TABLE: Final = tuple(
    (name.encode(), value.encode())
    for name in _NAMES.split()
    for value in _VALUES.get(name, ("",))
)  # fmt: skip

FIRST_DYNAMIC: Final = len(STATIC_TABLE) + 1
"""The number of the newest header of the dynamic table."""

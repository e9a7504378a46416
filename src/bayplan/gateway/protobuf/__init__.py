"""The wire format of Protocol Buffers, as far as our few messages need it."""

"""KV events: what engines say of the blocks in their caches, over ZMQ."""

"""What tests of deletions share."""

from contracts.store.implementations import (
    POOLS,
    key,
)

CHAT = key(POOLS, "chat")


def finalizers(*kept):
    def change(latest):
        latest["metadata"]["finalizers"] = list(kept)
        return latest

    return change

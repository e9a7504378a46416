"""How an engine batches requests: steps, KV blocks, prefix cache, adapters. Pure: time is an argument."""

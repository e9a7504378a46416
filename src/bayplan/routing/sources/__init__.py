"""Sources and extractors: where the figures of endpoints come from."""

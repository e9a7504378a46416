"""Dialects: documents in, nouns out, with a report of what was ignored."""

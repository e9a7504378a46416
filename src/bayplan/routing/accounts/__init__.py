"""Accounts: what this router has sent to each endpoint, and the table that decisions look at."""

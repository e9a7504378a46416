"""The client of a Bayplan server: where it is, how to ask it, and what its refusals mean to users."""

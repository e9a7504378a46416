"""The fields of every kind, as data: facts of each API, described in our own words."""

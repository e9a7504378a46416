"""Several relay processes with one account: one of them owns the router, the others ask it over a UNIX socket."""

"""Models onto servers in the running system: what is decided in `bayplan.serving` is booked in the store."""

"""Our own policy: send each request where prefill, what is queued before it and what it displaces cost least."""

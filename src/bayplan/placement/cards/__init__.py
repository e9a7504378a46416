"""Which cards of a worker a replica takes: what each may give, which are joined, and which set is best."""

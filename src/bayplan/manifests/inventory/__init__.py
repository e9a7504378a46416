"""Real inventories in, workers and bookings out: what a cluster says about itself, in any dialect."""

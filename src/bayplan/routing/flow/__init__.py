"""Flow control: requests wait in bands and flows until the pool has room for them."""

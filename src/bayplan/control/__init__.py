"""The shell of the system, where asyncio lives: the store port, the kinds of objects, and the loops over them."""

"""What must always hold of the stored objects: one function an invariant, called by tests, simulations and `doctor`."""

"""Parts of an object with a path of their own: scale, binding, eviction and log."""

"""Commands for objects of a server: apply, get, describe, edit, delete, events, logs; flags as in kubectl."""

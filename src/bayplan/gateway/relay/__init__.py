"""The relay: a process that takes requests, asks the router in process, and passes bytes on."""

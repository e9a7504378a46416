"""The flags that an engine must be started with so that it takes what was booked, and no more."""

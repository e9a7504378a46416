"""`bayplan worker`: Pods that are bound to this machine, run as processes."""

"""Which Pods get which workers: the queue, the decision, the commit, and what is told about it."""

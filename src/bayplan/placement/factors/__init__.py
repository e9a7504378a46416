"""What scores are made of: parts that may not be known, measurements, nearness, and the weights of each workload."""

"""Members that are placed by one decision: how they are arranged, and what is known where no arrangement is found."""

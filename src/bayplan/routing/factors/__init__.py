"""What several plugins of routing share: freshness, ranges, headrooms, sessions, topology."""

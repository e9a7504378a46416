"""HTTP/1.1 for a simulated engine: connections, streamed answers, and which path does what."""

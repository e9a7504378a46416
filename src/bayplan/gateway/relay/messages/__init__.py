"""HTTP messages: what is read of requests and answers, and how both are written."""

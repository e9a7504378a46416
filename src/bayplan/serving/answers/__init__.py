"""The JSON documents about models and servers."""

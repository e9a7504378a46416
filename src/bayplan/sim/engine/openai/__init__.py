"""The documents of OpenAI's API as an engine reads and writes them."""

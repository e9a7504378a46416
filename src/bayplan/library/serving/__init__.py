"""Functions about models on servers: the parts that the library's functions share."""

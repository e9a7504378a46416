"""The whole plan of a model: where it goes, what goes away, what stands in its way, and which server should grow."""

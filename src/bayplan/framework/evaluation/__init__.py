"""How a profile is asked about a table: what it means, what is kept, what is explained."""

"""Who may do what: certificates, tokens, roles, and the limits of a connection."""

"""Who holds what on which server replica."""
